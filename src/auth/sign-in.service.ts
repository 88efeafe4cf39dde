import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { newId } from '../common/crypto/ids.js';
import { AdminSignIn } from './admin-sign-in.service.js';
import type { AdminSession, StaffSession } from './dto/session.dto.js';
import type { AdminLogin, StaffLogin } from './dto/sign-in.dto.js';
import type { KnownAdmin } from './known-admin.js';
import { TrustedDevices } from './limits/trusted-devices.js';
import { RefreshCookie } from './cookies.js';
import { type IdpAssurance, NO_IDP, RefreshTokens } from './sessions/refresh-tokens.service.js';
import { StaffSignIn } from './staff-sign-in.service.js';
import { AccessTokens } from './tokens.js';

/** Creates a session after a successful authentication. */
@Injectable()
export class SignInService {
  constructor(
    private readonly admins: AdminSignIn,
    private readonly members: StaffSignIn,
    private readonly tokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
    private readonly cookie: RefreshCookie,
    private readonly devices: TrustedDevices,
  ) {}

  async admin(login: AdminLogin, request: Request, response: Response): Promise<AdminSession> {
    const admin = await this.admins.signIn(login, request);
    const session = await this.start(admin, response);
    await this.devices.trust('admin', request, response, admin.id);
    return session;
  }

  async staff(login: StaffLogin, request: Request, response: Response): Promise<StaffSession> {
    const staff = await this.members.signIn(login, request, response);
    return {
      accessToken: this.tokens.forStaff(staff),
      user: { id: staff.id, name: staff.name, role: 'STAFF', eventId: staff.eventId },
    };
  }

  /**
   * Returns the session of an authenticated admin or accountant, and sets the refresh cookie.
   * @param idp the provider's report about the sign-in, if the user signed in at the identity provider
   */
  async start(admin: KnownAdmin, response: Response, idp: IdpAssurance = NO_IDP): Promise<AdminSession> {
    const sessionId = newId();
    this.cookie.keep(response, await this.refreshTokens.issue(admin, sessionId, idp));
    return adminSession(this.tokens.forAdmin(admin, sessionId, idp.secondFactor), admin);
  }
}

export const adminSession = (accessToken: string, { id, email, role }: KnownAdmin): AdminSession => ({
  accessToken,
  user: { id, email, role },
});
