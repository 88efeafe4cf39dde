import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import type { Soon } from '../common/concurrency.js';
import type { JsonText } from '../common/http/answers.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { answered, patchBody } from './settings-docs.js';
import { CONTRAST, SETTINGS, type Settings } from './settings.js';
import { type WithContrast, withContrast, withoutContrast } from './with-contrast.js';
import { SettingsService } from './settings.service.js';

@ApiTags('Settings')
@Controller('settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get('global')
  @Public()
  @ApiOperation({ summary: 'The global settings' })
  @ApiOkResponse(answered(SETTINGS))
  @ApiErrors(429)
  read(): Soon<JsonText<Settings>> {
    return this.settings.answer();
  }

  // The body stays raw: turned into a class it would lose keys such as `__proto__` without a word.
  @Patch('global')
  @Auth('settings:update')
  @ApiOperation({ summary: 'Change the global settings: a deep merge, null deletes, arrays replace' })
  @ApiBody(patchBody(SETTINGS, { organization: 'Example Foundation', payment: { currency: 'usd' } }))
  @ApiOkResponse(answered(SETTINGS.extend(CONTRAST).meta({ id: 'ChangedSettingsDto' })))
  @ApiErrors(400, 413, 415, 429)
  async update(@Body() patch: unknown, @Caller() caller: Principal): Promise<WithContrast<Settings>> {
    const settings = await this.settings.patchGlobal(withoutContrast(patch), caller);
    return withContrast(settings, settings.theme.variables);
  }
}
