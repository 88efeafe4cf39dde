import { All, Controller, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { NotFoundError } from '../common/errors/domain-errors.js';

/** Handles all unknown paths with a route, so that the rate limits also count clients that search for paths. */
@ApiExcludeController()
@Controller()
@Public()
class UnknownRouteController {
  @All('{*path}')
  refuse(): never {
    throw new NotFoundError('ROUTE_NOT_FOUND', 'No route has this path');
  }
}

/** Import this module last, so that it handles only paths that no other route handles. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
