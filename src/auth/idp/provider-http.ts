import { UnavailableError } from '../../common/errors/domain-errors.js';

const TIMEOUT_MS = 10_000;
/** Maximum size of an answer. All metadata, key sets and profiles are much smaller. */
const MAX_BYTES = 256 * 1024;

/** The identity provider refused the request. */
export class ProviderRefusal extends Error {
  constructor(readonly status: number) {
    super(`The identity provider answered ${status}`);
    this.name = 'ProviderRefusal';
  }
}

/**
 * Returns a JSON object from the identity provider. Limits time and size, and follows no redirects.
 * @throws ProviderRefusal if the provider answers with a 4xx status
 * @throws UnavailableError if the provider is unreachable, fails, takes too long, or sends no JSON object
 */
export async function providerJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    body = JSON.parse(await boundedText(response));
  } catch {
    throw providerAway();
  }
  if (response.status >= 400 && response.status < 500) throw new ProviderRefusal(response.status);
  if (!response.ok || typeof body !== 'object' || body === null) throw providerAway();
  return body as Record<string, unknown>;
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > MAX_BYTES) throw new RangeError('The answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

export const providerAway = () =>
  new UnavailableError('IDP_UNAVAILABLE', 'The identity provider is unreachable at the moment');
