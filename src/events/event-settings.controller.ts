import { Body, Controller, Delete, Get, Param, Patch, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public, Viewer } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { AnswerAges } from '../common/http/kept-answers.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import { answered, patchBody } from '../settings/settings-docs.js';
import { BRANDING, type Branding, CONTRAST, SETTINGS } from '../settings/settings.js';
import { type WithContrast, withContrast, withoutContrast } from '../settings/settings-patch.js';
import { DeletedEventDto } from './dto/event.dto.js';
import { EVENT_SETTINGS, type EventSettingsDto, READ_ONLY } from './dto/event-settings.dto.js';
import { EventSettings } from './event-settings.service.js';

const ID_OR_SLUG = { description: 'Id or slug of the event', example: 'summer-gala' };

// Bodies are not converted to class instances, because a class instance would lose keys such as `__proto__` without an error.
@ApiTags('Settings')
@Controller('events')
export class EventSettingsController {
  constructor(
    private readonly settings: EventSettings,
    private readonly ages: AnswerAges,
  ) {}

  @Get(':slug/settings')
  @Public()
  @ApiOperation({ summary: 'Get the settings of an event: the global settings with its overrides' })
  @ApiParam({ name: 'slug', ...ID_OR_SLUG })
  @ApiOkResponse(answered(EVENT_SETTINGS))
  @ApiErrors(404, 429)
  read(
    @Param('slug') ref: string,
    @Viewer() viewer: Principal | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventSettingsDto> {
    return this.settings.read(ref, viewer, (reading) => {
      this.ages.describe(response, reading);
    });
  }

  @Patch(':id/settings')
  @Auth('events:configure')
  @ApiOperation({ summary: "Change the event's overrides: a deep merge, null deletes, arrays replace" })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiBody(patchBody(SETTINGS.omit({ auth: true }), { donation: { minAmount: 500 } }, READ_ONLY))
  @ApiOkResponse(answered(EVENT_SETTINGS.extend(CONTRAST).meta({ id: 'ChangedEventSettingsDto' })))
  @ApiEditConflict()
  @ApiErrors(400, 404, 413, 415, 429)
  async update(
    @Param('id') ref: string,
    @Body() patch: unknown,
    @Caller() caller: Principal,
  ): Promise<WithContrast<EventSettingsDto>> {
    const settings = await this.settings.patch(ref, withoutContrast(patch), caller);
    return withContrast(settings, settings.theme.variables);
  }

  @Patch(':id/branding')
  @Auth('events:configure')
  @ApiOperation({ summary: "Change the event's assets and style variables: a merge, null deletes" })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiBody(
    patchBody(BRANDING, {
      assets: { logo: 'https://cdn.example.org/logo.svg' },
      themeVariables: { '--brand-color': '#0a7c66' },
    }),
  )
  @ApiOkResponse(answered(BRANDING))
  @ApiEditConflict()
  @ApiErrors(400, 404, 413, 415, 429)
  updateBranding(
    @Param('id') ref: string,
    @Body() patch: unknown,
    @Caller() caller: Principal,
  ): Promise<Branding> {
    return this.settings.patchBranding(ref, patch, caller);
  }

  @Delete(':id/branding')
  @Auth('events:configure')
  @ApiOperation({ summary: 'Remove all overrides of the event, so the global settings apply again' })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiOkResponse({ type: DeletedEventDto })
  @ApiErrors(404, 429)
  clear(@Param('id') ref: string, @Caller() caller: Principal): Promise<DeletedEventDto> {
    return this.settings.clear(ref, caller);
  }
}
