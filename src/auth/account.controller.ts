import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Auth, type AuthenticatedRequest, Caller, SessionId } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { Account } from './account.service.js';
import { Confirmed } from './confirmations.service.js';
import { Confirmations } from './confirmations.service.js';
import {
  ChangePassword,
  Confirmation,
  ConfirmIdentity,
  OpenSessions,
  OwnAccount,
  SessionEnded,
} from './dto/account.dto.js';
import { AdminSession } from './dto/session.dto.js';
import { AuthLimited } from './limits/rate-limit.decorators.js';
import { PasswordChange } from './password-change.service.js';
import { AdminSessions } from './sessions/admin-sessions.service.js';

@ApiTags('Own account')
@Controller('auth')
export class AccountController {
  constructor(
    private readonly account: Account,
    private readonly password: PasswordChange,
    private readonly sessions: AdminSessions,
    private readonly confirmations: Confirmations,
  ) {}

  @Get('me')
  @Auth('account:read')
  @ApiOperation({
    summary: 'Get the signed-in account and its capabilities',
    description:
      'Answers also a sign-in that lacks the second factor which the organization requires; everything but setting ' +
      'one up is 403 `SECOND_FACTOR_SETUP_REQUIRED` to it. Answers also an API key.',
  })
  @ApiOkResponse({ type: OwnAccount })
  @ApiErrors(429)
  me(@Caller() caller: Principal, @Req() { sessionId }: AuthenticatedRequest): Promise<OwnAccount> {
    return this.account.of(caller, sessionId);
  }

  @Post('confirm')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Auth('account:secure')
  @AuthLimited('session')
  @ApiOperation({
    summary: 'Confirm the identity by the password, before changes of how an account is entered',
    description:
      'The answer goes with such changes as `X-Confirmation`, for ten minutes, in this sign-in. Wrong passwords (403 ' +
      '`PASSWORD_WRONG`) wait as those of the sign-in do. An account without a password (409 `PASSWORD_NOT_SET`) signs ' +
      'in again by `GET /auth/idp/again`: that confirms as long, without a header.',
  })
  @ApiOkResponse({ type: Confirmation })
  @ApiErrors(400, 409, 429, 503)
  confirm(
    @Caller() caller: Principal,
    @SessionId() sessionId: string,
    @Body() { password }: ConfirmIdentity,
    @Req() request: Request,
  ): Promise<Confirmation> {
    return this.confirmations.byPassword(caller, sessionId, password, request);
  }

  @Post('password')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Auth('account:manage')
  @AuthLimited('session')
  @ApiOperation({
    summary: "Change one's own password; all other sign-ins end",
    description:
      'This session continues with the returned access token, or with its refresh cookie. Wrong passwords (403 ' +
      '`PASSWORD_WRONG`) are delayed like failed sign-ins.',
  })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(400, 409, 429, 503)
  changePassword(
    @Caller() caller: Principal,
    @SessionId() sessionId: string,
    @Body() body: ChangePassword,
    @Req() request: Request,
  ): Promise<AdminSession> {
    return this.password.change(caller, sessionId, body, request);
  }

  @Get('sessions')
  @Auth('account:manage')
  @ApiOperation({ summary: "List one's own renewable sign-ins, the last used first" })
  @ApiOkResponse({ type: OpenSessions })
  @ApiErrors(429)
  async listSessions(@Caller() caller: Principal, @SessionId() sessionId: string): Promise<OpenSessions> {
    return { data: await this.sessions.list(caller.id, sessionId) };
  }

  @Delete('sessions')
  @Header('Cache-Control', 'no-store')
  @Auth('account:manage')
  @Confirmed()
  @AuthLimited('session')
  @ApiOperation({
    summary: "End all of one's own sign-ins except this one, and their sockets",
    description: 'This session continues with the returned access token, or with its refresh cookie.',
  })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(429)
  endOtherSessions(@Caller() caller: Principal, @SessionId() sessionId: string): Promise<AdminSession> {
    return this.sessions.signOutElsewhere(caller, sessionId);
  }

  @Delete('sessions/:id')
  @Auth('account:manage')
  @Confirmed()
  @AuthLimited('session')
  @ApiParam({ name: 'id', format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' })
  @ApiOperation({ summary: "End one of one's own sign-ins and its sockets" })
  @ApiOkResponse({ type: SessionEnded })
  @ApiErrors(404, 429)
  endSession(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionEnded> {
    return this.sessions.end(caller, id);
  }
}
