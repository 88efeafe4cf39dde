import { Body, Controller, Get, Patch, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, type AuthenticatedRequest, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import type { Response } from 'express';
import { AnswerAges } from '../common/http/kept-answers.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import { answered, patchBody } from './settings-docs.js';
import { CONTRAST, SETTINGS, type Settings } from './settings.js';
import { type WithContrast, withContrast, withoutContrast } from './settings-patch.js';
import { SettingsService } from './settings.service.js';

@ApiTags('Settings')
@Controller('settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
  ) {}

  @Get('global')
  @Public()
  @ApiOperation({ summary: 'The global settings' })
  @ApiOkResponse(answered(SETTINGS))
  @ApiErrors(429)
  async read(@Res({ passthrough: true }) response: Response): Promise<Settings> {
    const reading = await this.settings.lastKnown();
    this.ages.describe(response, reading);
    return reading.value.inForce;
  }

  // The body is not converted to a class instance, because an instance would silently lose keys such as `__proto__`.
  @Patch('global')
  @Auth('settings:update')
  @ApiOperation({ summary: 'Change the global settings: a deep merge, null deletes, arrays replace' })
  @ApiHeader({
    name: 'X-Confirmation',
    required: false,
    description:
      'Required for changes of `auth`: the confirmation from `POST /auth/confirm`. Without it, and without a recent ' +
      'sign-in at the identity provider, the answer is 403 `IDENTITY_NOT_CONFIRMED`.',
  })
  @ApiBody(patchBody(SETTINGS, { organization: 'Example Foundation', payment: { currency: 'usd' } }))
  @ApiOkResponse(answered(SETTINGS.extend(CONTRAST).meta({ id: 'ChangedSettingsDto' })))
  @ApiEditConflict()
  @ApiErrors(400, 413, 415, 429)
  async update(
    @Body() patch: unknown,
    @Caller() caller: Principal,
    @Req() request: AuthenticatedRequest,
  ): Promise<WithContrast<Settings>> {
    const settings = await this.settings.patchGlobal(withoutContrast(patch), caller, request);
    return withContrast(settings, settings.theme.variables);
  }
}
