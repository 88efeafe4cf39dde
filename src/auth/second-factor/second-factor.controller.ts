import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Auth, Caller, SessionId } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { Confirmed } from '../confirmations.service.js';
import {
  ConfirmTotp,
  DisableSecondFactor,
  RecoveryCodes,
  SecondFactorState,
  TotpSecret,
} from '../dto/second-factor.dto.js';
import { AuthLimited } from '../limits/rate-limit.decorators.js';
import { SecondFactorRemoval } from './second-factor-removal.service.js';
import { SecondFactor } from './second-factor.service.js';

@ApiTags('Own account')
@Controller('auth/totp')
@AuthLimited('session')
export class SecondFactorController {
  constructor(
    private readonly factor: SecondFactor,
    private readonly removal: SecondFactorRemoval,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Auth('account:secure')
  @Confirmed()
  @ApiOperation({
    summary: 'Create a secret for an authenticator app (TOTP, SHA-1, six digits, 30 seconds)',
    description: 'The secret has no effect until it is confirmed. A new request replaces it.',
  })
  @ApiOkResponse({ type: TotpSecret })
  @ApiErrors(409, 429)
  begin(@Caller() caller: Principal): Promise<TotpSecret> {
    return this.factor.begin(caller);
  }

  @Post('confirm')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Auth('account:secure')
  @Confirmed()
  @ApiOperation({
    summary: 'Confirm the app by its first code; later sign-ins require a code',
    description: 'All other sign-ins end. A wrong code is 403 `AUTHENTICATOR_CODE_WRONG`.',
  })
  @ApiOkResponse({ type: RecoveryCodes })
  @ApiErrors(400, 409, 429)
  confirm(
    @Caller() caller: Principal,
    @SessionId() sessionId: string,
    @Body() { code }: ConfirmTotp,
  ): Promise<RecoveryCodes> {
    return this.factor.confirm(caller, sessionId, code);
  }

  @Post('disable')
  @HttpCode(200)
  @Auth('account:manage')
  @ApiOperation({
    summary: "Switch one's own second factor off",
    description:
      'Requires `password` or a confirmation, as other changes do. A code of the second factor is not enough.',
  })
  @ApiOkResponse({ type: SecondFactorState })
  @ApiErrors(400, 409, 429, 503)
  disable(
    @Caller() caller: Principal,
    @Body() { password }: DisableSecondFactor,
    @Req() request: Request,
  ): Promise<SecondFactorState> {
    return this.removal.disable(caller, password, request);
  }
}
