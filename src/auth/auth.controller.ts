import { Body, Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCookieAuth,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { SignInMethodsDto } from './dto/account.dto.js';
import { AdminSession, SignedOut, StaffSession, Unlocked } from './dto/session.dto.js';
import { AdminLogin, StaffLogin } from './dto/sign-in.dto.js';
import type { SignedInRequest } from './guards/access.guard.js';
import { PinLimits } from './limits/pin-limits.js';
import { AuthLimited } from './limits/rate-limit.decorators.js';
import { SessionLife } from './sessions/session-life.service.js';
import { SignInMethods } from './sign-in-methods.service.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('Authentication')
@Controller('auth')
@AuthLimited()
@Public()
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly life: SessionLife,
    private readonly pins: PinLimits,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign an admin in by e-mail and password',
    description:
      'Also sets the `refresh_token` cookie (HttpOnly, SameSite=Strict, for `/auth` only). Where a second factor is set ' +
      'up: 401 `SECOND_FACTOR_REQUIRED` without `totp`, 401 `SECOND_FACTOR_WRONG` for a wrong or used code. 403 ' +
      '`PASSWORD_SIGN_IN_OFF` where only the identity provider is accepted.',
  })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(400, 401, 403, 429, 503)
  login(
    @Body() body: AdminLogin,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminSession> {
    return this.signIns.admin(body, request, response);
  }

  @Post('staff/login')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiHeader({
    name: 'X-Device-Token',
    required: false,
    description:
      'Token of an enrolled terminal. Its failed sign-ins are counted separately, and the session is bound to it',
  })
  @ApiOperation({
    summary: 'Sign a staff member in by PIN, for one event',
    description:
      'A wrong PIN, a wrong event and a missing assignment get the same answer. ' +
      'Sign-in is possible for active, paused and closed events.',
  })
  @ApiOkResponse({ type: StaffSession })
  @ApiErrors(400, 401, 403, 429, 503)
  staffLogin(
    @Body() body: StaffLogin,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StaffSession> {
    return this.signIns.staff(body, request, response);
  }

  @Post('staff/unlock')
  @HttpCode(200)
  @Auth('staff:unlock')
  @AuthLimited('session')
  @ApiOperation({
    summary: 'Clear all failed PIN sign-ins, so that waiting devices can sign in immediately',
    description:
      'Use it if terminals must wait after wrong PINs, even if an attacker caused them. Attackers get new free tries too. ' +
      'Devices that sign in afterwards are trusted and no longer share the wait of unknown devices.',
  })
  @ApiOkResponse({ type: Unlocked })
  @ApiErrors(429, 503)
  unlock(@Caller() caller: Principal): Promise<Unlocked> {
    return this.pins.unlock(caller);
  }

  @Post('refresh')
  @AuthLimited('renewal')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: "Renew an admin's session by its refresh cookie",
    description: 'Each refresh token can be used once. A second use later ends the sign-in.',
  })
  @ApiCookieAuth()
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(401, 403, 429, 503)
  refresh(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<AdminSession> {
    return this.life.renew(request, response);
  }

  @Post('logout')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @AuthLimited('session')
  @ApiOperation({ summary: 'End the current sign-in; other sign-ins continue' })
  @ApiBearerAuth()
  @ApiCookieAuth()
  @ApiOkResponse({ type: SignedOut })
  @ApiErrors(401, 403, 429, 503)
  logout(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOut> {
    return this.life.end(request, response);
  }
}

@ApiTags('Authentication')
@Controller('auth/methods')
export class SignInMethodsController {
  constructor(private readonly methods: SignInMethods) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Get the sign-in methods of admins and accountants' })
  @ApiOkResponse({ type: SignInMethodsDto })
  @ApiErrors(429)
  list(): Promise<SignInMethodsDto> {
    return this.methods.list();
  }
}
