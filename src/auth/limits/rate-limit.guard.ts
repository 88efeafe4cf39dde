import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { isApiKey } from '../../common/access/principal.js';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite, TrustedNetworks } from '../../common/http/client-address.js';
import { CrowdedAddresses } from '../../common/http/crowded-addresses.js';
import { isWebhook } from '../../common/http/json-body.js';

import { AppConfig } from '../../config/app-config.js';
import { Counters, decide, type RateDecision } from '../../redis/counters.js';
import { routeMetadata, type SignedInRequest } from '../guards/access.guard.js';
import { AUTH_LIMIT, type AuthLimit, UNCOUNTED } from './rate-limit.decorators.js';
import { TrustedDevices } from './trusted-devices.js';

/**
 * Sets the rate limit headers. `RateLimit` and `RateLimit-Policy` list every scope (IETF draft). Most clients read the three
 * older headers. These headers describe the strictest scope, which is counted last.
 */
export function describeLimit(response: Response, scope: string, decision: RateDecision): void {
  const { limit, windowSeconds, remaining, resetSeconds } = decision;
  response.appendHeader('RateLimit-Policy', `"${scope}";q=${limit};w=${windowSeconds}`);
  response.appendHeader('RateLimit', `"${scope}";r=${remaining};t=${resetSeconds}`);
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
}

export const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/**
 * True for webhooks, which are checked by signature, and for health probes, because load balancers must always get an answer.
 */
export const isUnlimited = (request: Request): boolean => isWebhook(request) || PROBES.has(request.path);

const MINUTE_MS = 60_000;
/** Requests per minute of an API key, from any number of addresses. */
const KEY_PER_MINUTE = 600;

/** Returns the rate limit scopes of section 8 of the specification. */
export function limitScopes(
  { limits }: AppConfig,
  networks: TrustedNetworks,
  reflector: Reflector,
): ThrottlerOptions[] {
  const ofRoute = routeMetadata(reflector, AUTH_LIMIT);
  const isUncounted = routeMetadata<boolean>(reflector, UNCOUNTED);
  const ofClient = (context: ExecutionContext) => {
    const { principal, ip } = context.switchToHttp().getRequest<SignedInRequest>();
    if (principal && isApiKey(principal)) return KEY_PER_MINUTE;
    return networks.includes(ip) ? limits.perMinute * limits.trustedFactor : limits.perMinute;
  };
  return [
    {
      name: 'default',
      ttl: MINUTE_MS,
      limit: ofClient,
      skipIf: (context) => isUncounted(context) === true,
    },
    {
      name: 'auth',
      ttl: MINUTE_MS,
      // Venues get no higher limit here, because more sign-ins would allow more guesses. Trusted devices have separate
      // counters.
      limit: limits.authPerMinute,
      skipIf: (context) => ofRoute(context) === undefined,
    },
  ];
}

/**
 * One counter for each client and scope, for all routes together. Scope `default` counts all requests; scope `auth` also counts
 * requests to the authentication endpoints. A client is a session, an API key, an enrolled terminal, a trusted device that signs in, or
 * otherwise an address. The addresses of one IPv6 site also share a counter.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  private readonly authLimitOf: (context: ExecutionContext) => AuthLimit | undefined;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly counters: Counters,
    private readonly devices: TrustedDevices,
    private readonly crowded: CrowdedAddresses,
  ) {
    super(options, storage, reflector);
    this.authLimitOf = routeMetadata(reflector, AUTH_LIMIT);
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const isHttp = context.getType() === 'http';
    return Promise.resolve(!isHttp || isUnlimited(context.switchToHttp().getRequest<Request>()));
  }

  /** @throws TooManyRequestsError */
  protected override async handleRequest({
    context,
    limit,
    ttl,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const { name = 'default' } = throttler;
    if (name === 'auth' && this.isKnownRenewal(context)) return true;
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const client = this.clientOf(context, request, name);
    const key = this.generateKey(context, client, name);
    if (name === 'auth') this.takeBackIfFailed(response, key, ttl / 1_000);
    const own = await this.count(key, limit, ttl);
    describeLimit(response, name, own);
    const byAddress = client.startsWith('address:');
    if (!own.allowed && byAddress) this.crowded.note(request.ip);
    refuseBeyond(own);
    const site = byAddress ? clientSite(request.ip) : undefined;
    if (site !== undefined)
      refuseBeyond(
        await this.count(this.generateKey(context, `site:${site}`, name), limit * SITE_FACTOR, ttl),
      );
    return true;
  }

  protected override generateKey(_context: ExecutionContext, client: string, scope: string): string {
    return rateKey(scope, client);
  }

  private async count(key: string, limit: number, ttl: number): Promise<RateDecision> {
    const { totalHits, timeToExpire } = await this.storageService.increment(key, ttl, limit, ttl, '');
    return decide({ count: totalHits, resetSeconds: timeToExpire }, limit, ttl / 1_000);
  }

  /**
   * If a sign-in fails because of a server error, removes the request from the `auth` counter. The `default` counter keeps the
   * request.
   */
  private takeBackIfFailed(response: Response, key: string, windowSeconds: number): void {
    response.once('finish', () => {
      if (response.statusCode >= 500) void this.counters.takeBack(key, windowSeconds);
    });
  }

  private clientOf(context: ExecutionContext, request: SignedInRequest, scope: string): string {
    const authLimit = this.authLimitOf(context);
    const countsSession = scope !== 'auth' || authLimit === 'session';
    if (countsSession && request.sessionId !== undefined) return `session:${request.sessionId}`;
    const { principal } = request;
    if (scope !== 'auth' && principal && isApiKey(principal)) return `key:${principal.id}`;
    // Tills and dashboards of a venue share their address with guests, and the guests may have used up the limit of the
    // address.
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

/** Limit of an IPv6 site, as a multiple of the limit of one of its 65 536 networks. */
export const SITE_FACTOR = 8;

export const rateKey = (scope: string, client: string) => `rate:${scope}:${client}`;

function refuseBeyond({ allowed, resetSeconds }: RateDecision): void {
  if (!allowed) throw new TooManyRequestsError(resetSeconds);
}
