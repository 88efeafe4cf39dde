import { All, Controller, Module, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { LogoTones } from '../pages/logo-tones.js';
import { PageErrors } from '../pages/page-errors.js';
import { SettingsModule } from '../settings/settings.module.js';

/**
 * Handles all unknown paths with a route, so that the rate limits also count clients that search for paths. A browser gets a page.
 */
@ApiExcludeController()
@Controller()
@UseFilters(PageErrors)
@Public()
class UnknownRouteController {
  @All('{*path}')
  refuse(): never {
    throw new NotFoundError('ROUTE_NOT_FOUND', 'No route has this path');
  }
}

/** Import this module last, so that it handles only paths that no other route handles. */
@Module({ imports: [SettingsModule], providers: [LogoTones], controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
