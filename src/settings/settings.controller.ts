import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { SettingsDto, toSettings } from './dto/settings.dto.js';
import { patchBody } from './patch-schema.js';
import { SETTINGS_RULE } from './settings-rules.js';
import { SettingsService } from './settings.service.js';

@ApiTags('Settings')
@Controller('settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get('global')
  @Public()
  @ApiOperation({ summary: 'The global settings' })
  @ApiOkResponse({ type: SettingsDto })
  @ApiErrors(429)
  async read(): Promise<SettingsDto> {
    return toSettings(await this.settings.global());
  }

  // The body stays raw: turned into a class it would lose keys such as `__proto__` without a word.
  @Patch('global')
  @Auth('ADMIN')
  @ApiOperation({ summary: 'Change the global settings: a deep merge, null deletes, arrays replace' })
  @ApiBody(patchBody(SETTINGS_RULE, { organization: 'Example Foundation', payment: { currency: 'usd' } }))
  @ApiOkResponse({ type: SettingsDto })
  @ApiErrors(400, 413, 415, 429)
  async update(@Body() patch: unknown, @Caller() caller: Principal): Promise<SettingsDto> {
    return toSettings(await this.settings.patchGlobal(patch, caller));
  }
}
