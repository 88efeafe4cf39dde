import { UnavailableError } from '../../common/errors/domain-errors.js';

const TIMEOUT_MS = 10_000;

/** The identity provider answered, and what it said is no. */
export class ProviderRefusal extends Error {
  constructor(readonly status: number) {
    super(`The identity provider answered ${status}`);
    this.name = 'ProviderRefusal';
  }
}

/**
 * JSON from the identity provider, without following redirects.
 * @throws ProviderRefusal on a 4xx
 * @throws UnavailableError when it cannot be reached, fails, takes too long, or says something else than JSON
 */
export async function providerJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    body = await response.json();
  } catch {
    throw providerAway();
  }
  if (response.status >= 400 && response.status < 500) throw new ProviderRefusal(response.status);
  if (!response.ok || typeof body !== 'object' || body === null) throw providerAway();
  return body as Record<string, unknown>;
}

export const providerAway = () =>
  new UnavailableError('IDP_UNAVAILABLE', 'The identity provider cannot be reached at the moment');
