import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller, Public, Viewer } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { patchBody } from '../settings/patch-schema.js';
import { ASSETS_RULE, BRANDING_RULE, SETTINGS_RULE, VARIABLES_RULE } from '../settings/settings-rules.js';
import { DeletedEventDto } from './dto/deleted-event.dto.js';
import { BrandingDto, EventSettingsDto } from './dto/event-settings.dto.js';
import { EventSettings } from './event-settings.service.js';

const ID_OR_SLUG = { description: 'Id or slug of the event', example: 'summer-gala' };
/** May be sent back as they were read. */
const READ_ONLY_FIELD = { isOverride: { type: 'boolean' }, currency: { type: 'string' } };

// The bodies stay raw: turned into a class they would lose keys such as `__proto__` without a word.
@ApiTags('Settings')
@Controller('events')
export class EventSettingsController {
  constructor(private readonly settings: EventSettings) {}

  @Get(':slug/settings')
  @Public()
  @ApiOperation({ summary: "The global settings with the event's overrides over them" })
  @ApiParam({ name: 'slug', ...ID_OR_SLUG })
  @ApiOkResponse({ type: EventSettingsDto })
  @ApiErrors(404, 429)
  read(@Param('slug') ref: string, @Viewer() viewer: Principal | undefined): Promise<EventSettingsDto> {
    return this.settings.read(ref, viewer);
  }

  @Patch(':id/settings')
  @Auth('ADMIN')
  @ApiOperation({ summary: "Change the event's overrides: a deep merge, null deletes, arrays replace" })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiBody(patchBody(SETTINGS_RULE, { donation: { minAmount: 500 } }, READ_ONLY_FIELD))
  @ApiOkResponse({ type: EventSettingsDto })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  update(
    @Param('id') ref: string,
    @Body() patch: unknown,
    @Caller() caller: Principal,
  ): Promise<EventSettingsDto> {
    return this.settings.patch(ref, patch, caller);
  }

  @Patch(':id/branding')
  @Auth('ADMIN')
  @ApiOperation({ summary: "Change the event's assets and style variables: a merge, null deletes" })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiBody(patchBody(BRANDING_RULE, { assets: ASSETS_RULE.example, themeVariables: VARIABLES_RULE.example }))
  @ApiOkResponse({ type: BrandingDto })
  @ApiErrors(400, 404, 413, 415, 429)
  updateBranding(
    @Param('id') ref: string,
    @Body() patch: unknown,
    @Caller() caller: Principal,
  ): Promise<BrandingDto> {
    return this.settings.patchBranding(ref, patch, caller);
  }

  @Delete(':id/branding')
  @Auth('ADMIN')
  @ApiOperation({ summary: 'Remove all overrides of the event: the global settings hold again' })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiOkResponse({ type: DeletedEventDto })
  @ApiErrors(404, 429)
  clear(@Param('id') ref: string, @Caller() caller: Principal): Promise<DeletedEventDto> {
    return this.settings.clear(ref, caller);
  }
}
