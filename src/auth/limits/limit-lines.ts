import type { Response } from 'express';
import { lineOf } from '../../common/http/header-lines.js';

export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

/**
 * `RateLimit` and `RateLimit-Policy` list every scope (IETF draft); the three older headers, which most
 * clients read, tell of the tightest, which is counted last.
 */
export function describeLimit(response: Response, scope: string, state: LimitState): void {
  const { limit, remaining, windowSeconds, resetSeconds } = state;
  response.lines +=
    lineOf('RateLimit-Policy', `"${scope}";q=${limit};w=${windowSeconds}`) +
    lineOf('RateLimit', `"${scope}";r=${remaining};t=${resetSeconds}`);
  response.lastLines =
    lineOf('RateLimit-Limit', String(limit)) +
    lineOf('RateLimit-Remaining', String(remaining)) +
    lineOf('RateLimit-Reset', String(resetSeconds));
}
