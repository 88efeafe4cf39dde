import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService, type JwtVerifyOptions } from '@nestjs/jwt';
import {
  type AdminRole,
  isAdminRole,
  isStaffRole,
  type Role,
  type StaffRole,
} from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { AppConfig } from '../config/app-config.js';

export const ISSUER = 'fundraising-donations';
export const AUDIENCE = 'fundraising-donations-api';
export const ALGORITHM = 'HS256';
/** Lifetime of an access token in seconds. */
export const ADMIN_TOKEN_SECONDS = 3_600;
export const STAFF_TOKEN_SECONDS = 12 * 3_600;

/**
 * Purposes of other tokens signed with the same key. Each purpose has its own audience, so that these tokens are never valid as
 * access tokens.
 */
type Purpose = 'terminal' | 'admin_device' | 'idp-state' | 'confirmation';

/** Claims of an access token. The service reads all other data of a user from the database. */
export interface TokenClaims {
  /** Id of the admin, accountant or staff member. */
  readonly sub: string;
  readonly role: Role;
  /** Id of the session; a renewed token keeps it. */
  readonly sid: string;
  /** The user's session version when the token was made. */
  readonly ver: number;
  /** Staff only: the event of the session, and the time (ms) when the member was assigned to it. */
  readonly evt?: string;
  readonly asg?: number;
  /** The enrolled terminal of the sign-in; absent on other devices. */
  readonly trm?: string;
  /** True if the identity provider asked for a second factor at the sign-in. */
  readonly mfa?: true;
  /** Times of issue and expiry, in seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
}

/**
 * Signs and checks access tokens.
 * The key is a key object, because jsonwebtoken would convert a text to a key object at every check. The conversion takes
 * longer than the check.
 */
@Injectable()
export class AccessTokens {
  private readonly jwt: JwtService;
  /** The previous `JWT_SECRET`. It verifies older tokens, but no new token is signed with it. */
  private readonly before: JwtService | undefined;

  constructor({ jwtSecret, jwtSecretBefore }: AppConfig) {
    this.jwt = serviceOf(createSecretKey(Buffer.from(jwtSecret)));
    this.before =
      jwtSecretBefore === undefined ? undefined : serviceOf(createSecretKey(Buffer.from(jwtSecretBefore)));
  }

  /** @param idpSecondFactor true if the identity provider asked for a second factor */
  forAdmin(
    admin: { id: string; role: AdminRole; sessionVersion: number },
    sessionId: string,
    idpSecondFactor: boolean,
  ): string {
    const claims = {
      role: admin.role,
      sid: sessionId,
      ver: admin.sessionVersion,
      ...(idpSecondFactor ? { mfa: true } : {}),
    };
    return this.sign(claims, admin.id, ADMIN_TOKEN_SECONDS);
  }

  forStaff(staff: {
    id: string;
    sessionVersion: number;
    eventId: string;
    assignedAt: Date;
    terminalId: string | null;
  }): string {
    const role: StaffRole = 'STAFF';
    const terminal = staff.terminalId === null ? {} : { trm: staff.terminalId };
    const claims = { role, sid: newId(), ver: staff.sessionVersion, evt: staff.eventId, ...terminal };
    return this.sign({ ...claims, asg: staff.assignedAt.getTime() }, staff.id, STAFF_TOKEN_SECONDS);
  }

  /** Returns the claims of an access token, or undefined if it is forged or expired. Never throws. */
  read(token: string): TokenClaims | undefined {
    try {
      return asClaims(this.verify(token));
    } catch {
      return undefined;
    }
  }

  /** Signs other claims for one purpose. The result is never valid as an access token. */
  signFor(purpose: Purpose, claims: Record<string, unknown>, seconds: number): string {
    return this.jwt.sign(claims, { audience: `${AUDIENCE}/${purpose}`, expiresIn: seconds });
  }

  /** Returns the claims signed by `signFor` for the same purpose, or undefined. Never throws. */
  readFor(purpose: Purpose, token: string): Record<string, unknown> | undefined {
    try {
      return this.verify(token, { audience: `${AUDIENCE}/${purpose}` });
    } catch {
      return undefined;
    }
  }

  /** @throws Error if neither secret verifies the token */
  private verify(token: string, options: JwtVerifyOptions = {}): Record<string, unknown> {
    try {
      return this.jwt.verify<Record<string, unknown>>(token, options);
    } catch (error) {
      if (!this.before) throw error;
      return this.before.verify<Record<string, unknown>>(token, options);
    }
  }

  private sign(claims: Record<string, unknown>, subject: string, seconds: number): string {
    return this.jwt.sign(claims, { subject, expiresIn: seconds });
  }
}

const serviceOf = (key: KeyObject): JwtService =>
  new JwtService({
    secretOrKeyProvider: () => key,
    signOptions: { algorithm: ALGORITHM, issuer: ISSUER, audience: AUDIENCE },
    verifyOptions: { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE },
  });

/** Returns the claims of a verified payload, or undefined if the payload does not belong to an access token. */
export function asClaims(payload: Record<string, unknown>): TokenClaims | undefined {
  const { sub, role, sid, ver, evt, asg, trm, mfa, iat, exp } = payload;
  // Tokens of this service always have an expiry.
  if (!isIdText(sub) || !isIdText(sid) || typeof ver !== 'number') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  if (isAdminRole(role)) return { sub, role, sid, ver, iat, exp, ...(mfa === true ? { mfa } : {}) };
  if (isStaffRole(role) && isIdText(evt) && typeof asg === 'number' && (trm === undefined || isIdText(trm)))
    return { sub, role, sid, ver, evt, asg, iat, exp, ...(trm === undefined ? {} : { trm }) };
  return undefined;
}

const isIdText = (value: unknown): value is string => typeof value === 'string' && isId(value);
