import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AdminSignIn } from './admin-sign-in.service.js';
import { AuthController } from './auth.controller.js';
import { AccessGuard } from './guards/access.guard.js';
import { AccessTokenStrategy } from './guards/access-token.strategy.js';
import { PrincipalGuard } from './guards/principal.guard.js';
import { RouteDecisions } from './guards/route-decisions.js';
import { Passwords } from './passwords.js';
import { SessionNews } from './sessions/session-news.js';
import { SessionService } from './sessions/session.service.js';
import { SignInService } from './sign-in.service.js';
import { StaffSignIn } from './staff-sign-in.service.js';
import { AccessTokens } from './tokens.js';

/** Who is calling, what they may call, and how often. The guards stand before every route, in this order. */
@Module({
  imports: [DiscoveryModule],
  controllers: [AuthController],
  providers: [
    AccessTokens,
    AccessTokenStrategy,
    AdminSignIn,
    Passwords,
    RouteDecisions,
    SessionNews,
    SessionService,
    SignInService,
    StaffSignIn,
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [AccessTokens, RouteDecisions, SessionService],
})
export class AuthModule {}
