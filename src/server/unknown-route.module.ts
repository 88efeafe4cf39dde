import { All, Controller, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { NotFoundError } from '../common/errors/domain-errors.js';

/** Handles all unknown paths, so that the rate limits also count clients that probe for paths. */
@ApiExcludeController()
@Controller()
@Public()
class UnknownRouteController {
  @All('{*path}')
  refuse(): never {
    throw new NotFoundError('ROUTE_NOT_FOUND', 'No route has this path');
  }
}

/** Imported last: it handles all paths that no other route handles. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
