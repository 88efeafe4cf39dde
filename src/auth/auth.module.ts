import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule, Reflector } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { ApiKeyCheck } from './api-keys/api-key-check.service.js';
import { AccountNotices } from './account-notices.service.js';
import { AccountController } from './account.controller.js';
import { Account } from './account.service.js';
import { AdminSignIn } from './admin-sign-in.service.js';
import { AuthController, SignInMethodsController } from './auth.controller.js';
import { AccessGuard, PrincipalGuard } from './guards/access.guard.js';
import { JwtStrategies } from './guards/jwt.strategy.js';
import { RouteDecisions } from './guards/route-decisions.js';
import { IdpAdmins } from './idp/idp-admins.service.js';
import { IdpBrowser } from './idp/idp-browser.js';
import { IdpMetadata } from './idp/idp-metadata.js';
import { IdpStateStore } from './idp/idp-state.store.js';
import { IdpTokens } from './idp/idp-tokens.js';
import { IdpController } from './idp/idp.controller.js';
import { IdpService } from './idp/idp.service.js';
import { SignInCodes } from './idp/sign-in-codes.service.js';
import { Confirmations, ConfirmedSettings } from './confirmations.service.js';
import { DeviceTokens } from './device-tokens.service.js';
import { FailureLimits } from './limits/failure-limits.js';
import { LimitOutsideRoutes } from './limits/outside-routes.js';
import { PinLimits } from './limits/pin-limits.js';
import { limitScopes, RateLimitGuard } from './limits/rate-limit.guard.js';
import { TrustedDevices } from './limits/trusted-devices.js';
import { PasswordChange } from './password-change.service.js';
import { PasswordCheck } from './password-check.service.js';
import { PasswordHashes } from './passwords.js';
import { SecondFactorCheck } from './second-factor/second-factor-check.service.js';
import { SecondFactorRemoval } from './second-factor/second-factor-removal.service.js';
import { SecondFactorController } from './second-factor/second-factor.controller.js';
import { SecondFactor } from './second-factor/second-factor.service.js';
import { Totp } from './second-factor/totp.js';
import { AdminSessions } from './sessions/admin-sessions.service.js';
import { RefreshCookie } from './cookies.js';
import { RefreshTokens } from './sessions/refresh-tokens.service.js';
import { ExpiredSessions, SessionLife } from './sessions/session-life.service.js';
import { RevocationBroadcast } from './sessions/revocation-broadcast.js';
import { SessionService } from './sessions/session.service.js';
import { SignInMethods } from './sign-in-methods.service.js';
import { SignInTrail } from './sign-in-trail.js';
import { SignInService } from './sign-in.service.js';
import { StaffSignIn } from './staff-sign-in.service.js';
import { AccessTokens } from './tokens.js';
import { TrustedNetworks } from '../common/http/client-address.js';
import { AppConfig } from '../config/app-config.js';
import { Counters } from '../redis/counters.js';
import { SettingsModule } from '../settings/settings.module.js';

@Module({ providers: [LimitOutsideRoutes] })
class LimitPartsModule {}

/** `RateLimitGuard` uses these options of the throttler library. */
const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, TrustedNetworks, Reflector, Counters],
  useFactory: (
    ...[config, networks, reflector, counters]: [AppConfig, TrustedNetworks, Reflector, Counters]
  ) => ({
    throttlers: limitScopes(config, networks, reflector),
    storage: counters,
  }),
});

/** Authentication, access control and rate limits. The guards run before every route, in this order. */
@Module({
  imports: [DiscoveryModule, SettingsModule, throttling],
  controllers: [
    AuthController,
    AccountController,
    IdpController,
    SecondFactorController,
    SignInMethodsController,
  ],
  providers: [
    AccessTokens,
    Account,
    AccountNotices,
    AdminSessions,
    AdminSignIn,
    ApiKeyCheck,
    Confirmations,
    ConfirmedSettings,
    DeviceTokens,
    ExpiredSessions,
    FailureLimits,
    IdpAdmins,
    IdpBrowser,
    IdpMetadata,
    IdpService,
    IdpStateStore,
    IdpTokens,
    JwtStrategies,
    PasswordChange,
    PasswordCheck,
    PasswordHashes,
    PinLimits,
    RefreshCookie,
    RefreshTokens,
    RevocationBroadcast,
    RouteDecisions,
    SecondFactor,
    SecondFactorCheck,
    SecondFactorRemoval,
    SessionLife,
    SessionService,
    SignInCodes,
    SignInMethods,
    SignInService,
    SignInTrail,
    StaffSignIn,
    Totp,
    TrustedDevices,
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    AccessTokens,
    ApiKeyCheck,
    AccountNotices,
    AdminSessions,
    Confirmations,
    DeviceTokens,
    RouteDecisions,
    SecondFactor,
    SessionService,
    SignInMethods,
    StaffSignIn,
  ],
})
export class AuthModule {}
