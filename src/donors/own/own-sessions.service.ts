import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { CookieOptions, Request, Response } from 'express';
import { Audit } from '../../audit/audit.js';
import { cookiesNeedTls } from '../../auth/cookies.js';
import type { Actor } from '../../common/access/principal.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { ADD_SESSION, END_SESSION, GOOD_LINK, PRUNE_ACCESS, USE_LINK, USE_SESSION } from './own-page.sql.js';
import { digestOf, isToken, newToken } from './own-tokens.js';

/** A donor on their own page. */
export const DONOR: Actor = { kind: 'donor', id: null };

const LONGEST_MS = 8 * 3_600_000;

/** The donor of a session. */
export interface OwnDonor {
  readonly donorKey: Buffer;
  /** Key of the donor in the API. */
  readonly key: string;
  /** The e-mail address that the donor gave last. */
  readonly email: string;
}

/**
 * Signs donors in to their own page with the link from the e-mail. A session ends after 30 minutes without a request, and after
 * 8 hours.
 */
@Injectable()
export class OwnSessions {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(
    config: AppConfig,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {
    const secure = cookiesNeedTls(config);
    // Browsers accept a cookie with this prefix only over TLS, from exactly this host.
    this.name = secure ? '__Host-donor' : 'donor';
    // The link comes from an e-mail, so the cookie must be sent with a click on a link of another site.
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  }

  /** True if the link can be used. Changes nothing, because mail programs open links by themselves. */
  async isGood(token: string): Promise<boolean> {
    return isToken(token) && (await this.database.query(GOOD_LINK, [digestOf(token)])).length > 0;
  }

  /**
   * Uses a link and starts a session.
   * @returns false if the link was used or has expired
   */
  async start(token: string, response: Response): Promise<boolean> {
    if (!isToken(token)) return false;
    const session = newToken();
    const isStarted = await this.database.transaction(async (tx) => {
      const [link] = await tx.query<{ donor_key: Buffer }>(USE_LINK, [digestOf(token)]);
      if (!link) return false;
      await tx.query(ADD_SESSION, [digestOf(session), link.donor_key]);
      await this.audit.record(DONOR, 'donor.sign_in', link.donor_key.toString('hex'), {}, tx);
      return true;
    });
    if (isStarted) response.cookie(this.name, session, { ...this.options, maxAge: LONGEST_MS });
    return isStarted;
  }

  /** The donor who is signed in with this browser. */
  async read(request: Request): Promise<OwnDonor | undefined> {
    const token = this.tokenIn(request);
    if (token === undefined) return undefined;
    const [found] = await this.database.query<{ donor_key: Buffer; email: string }>(USE_SESSION, [
      digestOf(token),
    ]);
    return found && { donorKey: found.donor_key, key: found.donor_key.toString('hex'), email: found.email };
  }

  async end(request: Request, response: Response): Promise<void> {
    const token = this.tokenIn(request);
    if (token !== undefined) await this.database.query(END_SESSION, [digestOf(token)]);
    response.clearCookie(this.name, this.options);
  }

  /** Deletes expired links and sessions. */
  @Cron('23 * * * *')
  async prune(): Promise<void> {
    for (const statement of PRUNE_ACCESS) await this.database.query(statement);
  }

  private tokenIn(request: Request): string | undefined {
    const value = (request.cookies as Record<string, unknown>)[this.name];
    return isToken(value) ? value : undefined;
  }
}
