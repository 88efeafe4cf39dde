import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { isWebhook } from '../../common/http/json-body.js';
import { clientAddress, clientSite } from '../../common/http/client-address.js';
import type { SignedInRequest } from '../guards/signed-in.js';
import { AUTH_LIMIT, type AuthLimit } from './rate-limit.decorators.js';
import { TrustedDevices } from './trusted-devices.js';

export const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/** Providers and balancers: the first are checked by signature, the second must always get an answer. */
export const isUnlimited = (request: Request): boolean => isWebhook(request) || PROBES.has(request.path);

/**
 * One counter for each client and scope, whatever the route: `default` over everything, `auth` over the
 * authentication endpoints too. A client is a signed-in session, an enrolled terminal, a trusted device that signs in, or
 * else an address; addresses of one IPv6 site are counted together too.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly devices: TrustedDevices,
  ) {
    super(options, storage, reflector);
  }

  /** As the library's, which would also look for its own decorators, a dozen at every request; no route has any. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (await this.shouldSkip(context)) return true;
    for (const throttler of this.throttlers) {
      if (throttler.skipIf?.(context)) continue;
      const limit = typeof throttler.limit === 'function' ? await throttler.limit(context) : throttler.limit;
      await this.handleRequest({ context, limit, ttl: throttler.ttl, throttler } as ThrottlerRequest);
    }
    return true;
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(
      context.getType() !== 'http' || isUnlimited(context.switchToHttp().getRequest<SignedInRequest>()),
    );
  }

  /** Counts one request in one scope. */
  protected override async handleRequest({
    context,
    limit,
    ttl,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const scope = throttler.name ?? 'default';
    const request = http.getRequest<SignedInRequest>();
    const client = this.clientOf(context, request, scope);
    const count = (who: string, most: number) =>
      this.storageService.increment(this.generateKey(context, who, scope), ttl, most, ttl, scope);
    const { totalHits, timeToExpire, isBlocked } = await count(client, limit);
    const remaining = Math.max(0, limit - totalHits);
    describeLimit(http.getResponse<Response>(), scope, {
      limit,
      remaining,
      windowMs: ttl,
      reset: timeToExpire,
    });
    if (isBlocked) throw new TooManyRequestsError(timeToExpire);
    const site = isAddress(client) ? clientSite(request.ip) : undefined;
    if (site !== undefined) {
      const together = await count(`site:${site}`, limit * SITE_FACTOR);
      if (together.isBlocked) throw new TooManyRequestsError(together.timeToExpire);
    }
    return true;
  }

  /** Not by handler, as the library does: the limits are over everything together. */
  protected override generateKey(_context: ExecutionContext, client: string, scope: string): string {
    return rateKey(scope, client);
  }

  private clientOf(context: ExecutionContext, request: SignedInRequest, scope: string): string {
    const countsSession = scope !== 'auth' || authLimitOf(this.reflector, context) === 'session';
    if (countsSession && request.sessionId !== undefined) return `session:${request.sessionId}`;
    // The tills of a venue share an address, and no network raises this limit.
    const device = scope === 'auth' ? this.devices.signedKey(request) : this.devices.terminalKey(request);
    return device ?? `address:${clientAddress(request.ip)}`;
  }
}

/** So many customers' worth for the 65 536 networks of one IPv6 site. */
export const SITE_FACTOR = 8;

const isAddress = (client: string) => client.startsWith('address:');

export const rateKey = (scope: string, client: string) => `${scope}:${client}`;

export const authLimitOf = (reflector: Reflector, context: ExecutionContext): AuthLimit | undefined =>
  reflector.getAllAndOverride<AuthLimit | undefined>(AUTH_LIMIT, [context.getHandler(), context.getClass()]);

export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowMs: number;
  /** Seconds. */
  readonly reset: number;
}

/**
 * `RateLimit` and `RateLimit-Policy` list every scope (IETF draft); the three older headers, which most
 * clients read, tell of the tightest, which is counted last.
 */
export function describeLimit(response: Response, scope: string, state: LimitState): void {
  for (const [name, value] of limitHeaders(scope, state)) {
    const before = LISTS.has(name) ? response.getHeader(name) : undefined;
    response.setHeader(name, before === undefined ? value : [String(before), value]);
  }
}

const LISTS: ReadonlySet<string> = new Set(['RateLimit-Policy', 'RateLimit']);

/** What one scope says, as names and values. */
export const limitHeaders = (
  scope: string,
  { limit, remaining, windowMs, reset }: LimitState,
): (readonly [name: string, value: string])[] => [
  ['RateLimit-Policy', `"${scope}";q=${limit};w=${windowMs / 1_000}`],
  ['RateLimit', `"${scope}";r=${remaining};t=${reset}`],
  ['RateLimit-Limit', String(limit)],
  ['RateLimit-Remaining', String(remaining)],
  ['RateLimit-Reset', String(reset)],
];
