import { All, Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/access.decorators.js';
import { NotFoundError } from '../errors/domain-errors.js';

/** Whatever no other route takes, so that probing for paths is counted by the rate limits too. */
@ApiExcludeController()
@Controller()
@Public()
export class UnknownRouteController {
  @All('{*path}')
  refuse(): never {
    throw new NotFoundError('ROUTE_NOT_FOUND', 'There is nothing at this path');
  }
}
