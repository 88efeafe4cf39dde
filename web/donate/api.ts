import type { CardIntentDto } from '../../src/payments/intents/dto/intent.dto.js';
import type { OwnDonationDto } from '../../src/payments/intents/dto/own-donation.dto.js';

/** An error answer of the server: its status and code. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

/**
 * The page received no answer. It can safely repeat a request that only reads or that has an idempotency key.
 */
export class OfflineError extends Error {}

const PATIENCE_MS = 20_000;

export async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  // Outside the try block, because an exception here is a programming error and not a lost network.
  const request = new Request(path, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    throw new OfflineError('no answer', { cause });
  }
  const body = (await response.json().catch(() => ({}))) as { code?: string };
  if (!response.ok) throw new ApiError(response.status, body.code ?? '');
  return body as Answer;
}

export const ownDonation = (token: string): Promise<OwnDonationDto> =>
  ask<OwnDonationDto>(`/donations/mine/${token}`);

/** Cancels an unpaid donation. The donor can no longer pay it, so a second payment cannot charge the donor twice. */
export const cancelOwnDonation = (token: string): Promise<OwnDonationDto> =>
  ask<OwnDonationDto>(`/donations/mine/${token}/cancel`, { method: 'POST' });

/** Requests an intent. A repeated request with the same key and body returns the same intent. */
export const openIntent = (key: string, body: string): Promise<CardIntentDto> =>
  ask<CardIntentDto>('/donations/intent', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body,
  });
