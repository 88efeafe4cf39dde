import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  type ThrottlerModuleOptions,
  type ThrottlerOptions,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { type Soon, soon } from '../../common/concurrency/concurrency.js';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { lineOf } from '../../common/http/answers.js';
import { clientAddress, clientSite, TrustedNetworks } from '../../common/http/client-address.js';
import { CrowdedAddresses } from '../../common/http/crowded-addresses.js';
import { isWebhook } from '../../common/http/json-body.js';

import { AppConfig } from '../../config/app-config.js';
import { Counters, type RateDecision } from '../../redis/counters.js';
import { routeMetadata, type SignedInRequest } from '../guards/access.guard.js';
import { AUTH_LIMIT, type AuthLimit, UNCOUNTED } from './rate-limit.decorators.js';
import { TrustedDevices } from './trusted-devices.js';

/**
 * `RateLimit` and `RateLimit-Policy` list every scope (IETF draft); the three older headers, which most
 * clients read, tell of the tightest, which is counted last.
 */
export function describeLimit(response: Response, scope: string, decision: RateDecision): void {
  const { remaining, resetSeconds } = decision;
  const { policy, most } = constantLines(scope, decision);
  response.lines += `${policy}RateLimit: "${scope}";r=${remaining};t=${resetSeconds}\r\n`;
  response.lastLines = `${most}RateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${resetSeconds}\r\n`;
}

interface ConstantLines {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly policy: string;
  readonly most: string;
}

/** By scope, those of the limit that was told last. */
const told = new Map<string, ConstantLines>();

function constantLines(scope: string, { limit, windowSeconds }: RateDecision): ConstantLines {
  const last = told.get(scope);
  if (last?.limit === limit && last.windowSeconds === windowSeconds) return last;
  const lines = {
    limit,
    windowSeconds,
    policy: lineOf('RateLimit-Policy', `"${scope}";q=${limit};w=${windowSeconds}`),
    most: lineOf('RateLimit-Limit', String(limit)),
  };
  told.set(scope, lines);
  return lines;
}

export const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/** Providers and balancers: the first are checked by signature, the second must always get an answer. */
export const isUnlimited = (request: Request): boolean => isWebhook(request) || PROBES.has(request.path);

const MINUTE_MS = 60_000;

/** The scopes of section 8 of the specification. */
export function limitScopes(
  { limits }: AppConfig,
  networks: TrustedNetworks,
  reflector: Reflector,
): ThrottlerModuleOptions {
  const ofRoute = routeMetadata(reflector, AUTH_LIMIT);
  const isUncounted = routeMetadata<boolean>(reflector, UNCOUNTED);
  const raisedInVenues = (context: ExecutionContext) =>
    networks.includes(context.switchToHttp().getRequest<Request>().ip)
      ? limits.perMinute * limits.trustedFactor
      : limits.perMinute;
  return {
    throttlers: [
      {
        name: 'default',
        ttl: MINUTE_MS,
        limit: raisedInVenues,
        skipIf: (context) => isUncounted(context) === true,
      },
      {
        name: 'auth',
        ttl: MINUTE_MS,
        // Not raised for venues: more sign-ins would be more guesses, and trusted devices are counted apart.
        limit: limits.authPerMinute,
        skipIf: (context) => ofRoute(context) === undefined,
      },
    ],
  };
}

/**
 * One counter for each client and scope, whatever the route: `default` over everything, `auth` over the
 * authentication endpoints too. A client is a signed-in session, an enrolled terminal, a trusted device that signs in, or
 * else an address; addresses of one IPv6 site are counted together too.
 *
 * The scopes are the library's options. Its guard would look for decorators of its own, a dozen at every request, count by
 * handler, and wait five times for what is known at once.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly scopes: readonly ThrottlerOptions[];
  private readonly authLimitOf: (context: ExecutionContext) => AuthLimit | undefined;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    reflector: Reflector,
    private readonly counters: Counters,
    private readonly devices: TrustedDevices,
    private readonly crowded: CrowdedAddresses,
  ) {
    this.scopes = Array.isArray(options) ? options : options.throttlers;
    this.authLimitOf = routeMetadata(reflector, AUTH_LIMIT);
  }

  /** @throws TooManyRequestsError */
  canActivate(context: ExecutionContext): Soon<boolean> {
    if (context.getType() !== 'http') return true;
    if (isUnlimited(context.switchToHttp().getRequest<Request>())) return true;
    return soon(this.countFrom(0, context), () => true);
  }

  /** Counts the request in each scope that it belongs to, one after the other. */
  private countFrom(first: number, context: ExecutionContext): Soon<void> {
    for (const [at, scope] of this.scopes.entries()) {
      if (at < first || scope.skipIf?.(context)) continue;
      if (scope.name === 'auth' && this.isKnownRenewal(context)) continue;
      const count = this.countIn(scope, context);
      if (count instanceof Promise) return count.then(() => this.countFrom(at + 1, context));
    }
  }

  private countIn(scope: ThrottlerOptions, context: ExecutionContext): Soon<void> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const name = scope.name ?? 'default';
    const windowSeconds = Number(scope.ttl) / 1_000;
    return soon(limitOf(scope, context), (limit) => {
      const client = this.clientOf(context, request, name);
      const byAddress = client.startsWith('address:');
      const site = byAddress ? clientSite(request.ip) : undefined;
      const key = rateKey(name, client);
      if (name === 'auth')
        this.takeBackIfFailed(context.switchToHttp().getResponse<Response>(), key, windowSeconds);
      return soon(this.counters.hitSoon(key, limit, windowSeconds), (own) => {
        describeLimit(context.switchToHttp().getResponse<Response>(), name, own);
        if (!own.allowed && byAddress) this.crowded.note(request.ip);
        refuseBeyond(own);
        if (site === undefined) return;
        const together = this.counters.hitSoon(
          rateKey(name, `site:${site}`),
          limit * SITE_FACTOR,
          windowSeconds,
        );
        return soon(together, refuseBeyond);
      });
    });
  }

  /** A sign-in that failed on our side leaves the caller theirs. The limit over everything still counts it. */
  private takeBackIfFailed(response: Response, key: string, windowSeconds: number): void {
    response.once('finish', () => {
      if (response.statusCode >= 500) void this.counters.takeBack(key, windowSeconds);
    });
  }

  private clientOf(context: ExecutionContext, request: SignedInRequest, scope: string): string {
    const authLimit = this.authLimitOf(context);
    const countsSession = scope !== 'auth' || authLimit === 'session';
    if (countsSession && request.sessionId !== undefined) return `session:${request.sessionId}`;
    // The tills and desks of a venue share their address with its guests, who may have used up what it has.
    const device = authLimit ? this.devices.signedKey(request) : this.devices.terminalKey(request);
    return device ?? `address:${clientAddress(request.ip)}`;
  }

  private isKnownRenewal(context: ExecutionContext): boolean {
    return (
      this.authLimitOf(context) === 'renewal' &&
      this.devices.signedKey(context.switchToHttp().getRequest<Request>()) !== undefined
    );
  }
}

/** So many customers' worth for the 65 536 networks of one IPv6 site. */
export const SITE_FACTOR = 8;

export const rateKey = (scope: string, client: string) => `rate:${scope}:${client}`;

function limitOf({ limit }: ThrottlerOptions, context: ExecutionContext): Soon<number> {
  return typeof limit === 'function' ? limit(context) : limit;
}

function refuseBeyond({ allowed, resetSeconds }: RateDecision): void {
  if (!allowed) throw new TooManyRequestsError(resetSeconds);
}
