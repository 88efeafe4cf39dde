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
import { clientAddress } from '../../common/http/client-address.js';
import { isWebhook } from '../../common/http/json-body.js';
import type { SignedInRequest } from '../guards/signed-in.js';
import { AUTH_LIMIT, type AuthLimit } from './rate-limit.decorators.js';

export const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/** Providers and balancers: the first are checked by signature, the second must never be told to wait. */
export const isUnlimited = (request: Request): boolean => isWebhook(request) || PROBES.has(request.path);

/**
 * One counter for each client and scope, whatever the route: `default` over everything, `auth` over the
 * authentication endpoints too. A client is a signed-in session, or else an address.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, storage, reflector);
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
    const key = this.generateKey(
      context,
      this.clientOf(context, http.getRequest<SignedInRequest>(), scope),
      scope,
    );
    const { totalHits, timeToExpire, isBlocked } = await this.storageService.increment(
      key,
      ttl,
      limit,
      ttl,
      scope,
    );
    const remaining = Math.max(0, limit - totalHits);
    describeLimit(http.getResponse<Response>(), scope, {
      limit,
      remaining,
      windowMs: ttl,
      reset: timeToExpire,
    });
    if (isBlocked) throw new TooManyRequestsError(timeToExpire);
    return true;
  }

  /** Not by handler, as the library does: the limits are over everything together. */
  protected override generateKey(_context: ExecutionContext, client: string, scope: string): string {
    return rateKey(scope, client);
  }

  private clientOf(context: ExecutionContext, request: SignedInRequest, scope: string): string {
    const countsSession =
      request.sessionId !== undefined &&
      (scope !== 'auth' || authLimitOf(this.reflector, context) === 'session');
    return countsSession ? `session:${request.sessionId ?? ''}` : `address:${clientAddress(request.ip)}`;
  }
}

export const rateKey = (scope: string, client: string) => `${scope}:${client}`;

export const authLimitOf = (reflector: Reflector, context: ExecutionContext): AuthLimit | undefined =>
  reflector.getAllAndOverride<AuthLimit | undefined>(AUTH_LIMIT, [context.getHandler(), context.getClass()]);

interface LimitState {
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
  response.append('RateLimit-Policy', `"${scope}";q=${state.limit};w=${state.windowMs / 1_000}`);
  response.append('RateLimit', `"${scope}";r=${state.remaining};t=${state.reset}`);
  response.setHeader('RateLimit-Limit', state.limit);
  response.setHeader('RateLimit-Remaining', state.remaining);
  response.setHeader('RateLimit-Reset', state.reset);
}
