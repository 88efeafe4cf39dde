import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { clientAddress } from '../../common/http/client-address.js';
import { newId } from '../../common/ids.js';
import { AppConfig } from '../../config/app-config.js';
import { SharedState } from '../../redis/shared-state.js';
import { cookiePath, cookiesNeedTls } from '../cookies.js';
import { AccessTokens } from '../tokens.js';

const COOKIE = 'terminal';
const KNOWN_SECONDS = 180 * 86_400;
const ADDRESS_KNOWN_SECONDS = 30 * 86_400;
/** Signed into the cookie, newest last. */
const EVENTS_KEPT = 20;

/** Where an attempt to sign in comes from. */
export interface Terminal {
  /** What its failures are counted by: the terminal itself where it is known, else its address. */
  readonly key: string;
  /** Whether a sign-in at this event succeeded from here before. */
  readonly known: boolean;
}

interface TerminalCookie {
  readonly id: string;
  readonly events: readonly string[];
}

/**
 * Remembers from where staff signed in at an event, by address and by a signed cookie on the terminal, so that
 * an attack from elsewhere, or from the next table, does not lock the honest terminals out.
 */
@Injectable()
export class KnownTerminals {
  private readonly addresses = new LRUCache<string, true>({
    max: 10_000,
    ttl: ADDRESS_KNOWN_SECONDS * 1_000,
  });
  private readonly cookieOptions: CookieOptions;

  constructor(
    config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly shared: SharedState,
  ) {
    this.cookieOptions = {
      httpOnly: true,
      sameSite: 'strict',
      secure: cookiesNeedTls(config),
      path: cookiePath(config, '/auth/staff'),
      maxAge: KNOWN_SECONDS * 1_000,
    };
  }

  /** @param event id, or whatever stands for the event in the counters */
  async recognize(request: Request, event: string): Promise<Terminal> {
    const cookie = this.read(request);
    if (cookie?.events.includes(event)) return { key: `terminal:${cookie.id}`, known: true };
    const address = clientAddress(request.ip);
    return { key: `address:${address}`, known: await this.addressKnown(address, event) };
  }

  /** After a success at these events. */
  async remember(request: Request, response: Response, events: readonly string[]): Promise<void> {
    const cookie = this.read(request);
    const all = [...new Set([...(cookie?.events ?? []), ...events])].slice(-EVENTS_KEPT);
    const value = this.tokens.signFor('terminal', { id: cookie?.id ?? newId(), events: all }, KNOWN_SECONDS);
    response.cookie(COOKIE, value, this.cookieOptions);
    const address = clientAddress(request.ip);
    for (const event of events) await this.rememberAddress(address, event);
  }

  private read(request: Request): TerminalCookie | undefined {
    const value = (request.cookies as Record<string, unknown>)[COOKIE];
    if (typeof value !== 'string') return undefined;
    const { id, events } = this.tokens.readFor('terminal', value) ?? {};
    return typeof id === 'string' && Array.isArray(events) ? { id, events: events as string[] } : undefined;
  }

  private async addressKnown(address: string, event: string): Promise<boolean> {
    const key = `${event}:${address}`;
    return await this.shared.run(
      async (client) => this.addresses.has(key) || (await client.exists(`donations:known:${key}`)) === 1,
      () => this.addresses.has(key),
    );
  }

  private async rememberAddress(address: string, event: string): Promise<void> {
    const key = `${event}:${address}`;
    this.addresses.set(key, true);
    await this.shared.run(
      async (client) => {
        await client.set(`donations:known:${key}`, '1', 'EX', ADDRESS_KNOWN_SECONDS);
      },
      () => undefined,
    );
  }
}
