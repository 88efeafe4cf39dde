import { Injectable } from '@nestjs/common';
import { AdminSignIn } from './admin-sign-in.service.js';
import type { AdminSession, StaffSession } from './dto/session.dto.js';
import type { AdminLogin, StaffLogin } from './dto/sign-in.dto.js';
import { StaffSignIn } from './staff-sign-in.service.js';
import { AccessTokens } from './tokens.js';

/** Turns a proof of identity into a session. */
@Injectable()
export class SignInService {
  constructor(
    private readonly admins: AdminSignIn,
    private readonly members: StaffSignIn,
    private readonly tokens: AccessTokens,
  ) {}

  async admin(login: AdminLogin): Promise<AdminSession> {
    const admin = await this.admins.signIn(login);
    return {
      accessToken: this.tokens.forAdmin(admin),
      user: { id: admin.id, email: admin.email, role: 'ADMIN' },
    };
  }

  async staff(login: StaffLogin): Promise<StaffSession> {
    const staff = await this.members.signIn(login);
    return {
      accessToken: this.tokens.forStaff(staff),
      user: { id: staff.id, name: staff.name, role: 'STAFF', eventId: staff.eventId },
    };
  }
}
