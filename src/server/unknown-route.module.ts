import { All, Controller, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { NotFoundError } from '../common/errors/domain-errors.js';

/** Whatever no other route takes, so that probing for paths is counted by the rate limits too. */
@ApiExcludeController()
@Controller()
@Public()
class UnknownRouteController {
  @All('{*path}')
  refuse(): never {
    throw new NotFoundError('ROUTE_NOT_FOUND', 'There is nothing at this path');
  }
}

/** Imported last: it takes what the others left. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
