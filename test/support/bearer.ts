import { expect } from '@jest/globals';
import type { Test } from 'supertest';
import type { TestApp } from './app.js';
import { ADMIN_PASSWORD } from './fixtures.js';

/** Sends requests with a token and the given headers. */
export function as(app: Pick<TestApp, 'http'>, token: string, headers: Record<string, string> = {}) {
  const signed = (request: Test): Test => request.auth(token, { type: 'bearer' }).set(headers);
  return {
    get: (path: string) => signed(app.http.get(path)),
    post: (path: string, body?: object) => signed(app.http.post(path)).send(body),
    put: (path: string, body?: object) => signed(app.http.put(path)).send(body),
    patch: (path: string, body?: object) => signed(app.http.patch(path)).send(body),
    delete: (path: string) => signed(app.http.delete(path)),
  };
}

/** Sends requests of an admin or accountant who has confirmed them with the password. */
export async function confirmed(
  app: Pick<TestApp, 'http'>,
  token: string,
  password = ADMIN_PASSWORD,
): Promise<Caller> {
  const { body } = await as(app, token).post('/auth/confirm', { password }).expect(200);
  return as(app, token, { 'X-Confirmation': (body as { confirmation: string }).confirmation });
}

export type Caller = ReturnType<typeof as>;

/** A donation as the API returns it. */
export interface DonationBody {
  readonly id: string;
  readonly eventId: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: string;
  readonly status: string;
  readonly donorName: string | null;
  readonly donorEmail: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
  readonly staffId: string | null;
  readonly staffName: string | null;
  readonly refundedAmount: number;
  readonly receiptNumber: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
}

export interface ListBody {
  readonly data: DonationBody[];
  readonly total: number;
  readonly totalIsEstimate?: true;
  readonly limit: number;
  readonly offset: number;
  readonly nextCursor: string | null;
}

/** The body of an error answer: `{ statusCode, message, error }`; with `VALIDATION_FAILED` also the refused fields. */
export const errorBody = (statusCode: number, error: string, code?: string): object => ({
  statusCode,
  message: expect.any(String),
  error,
  ...(code ? { code } : {}),
  ...(code === 'VALIDATION_FAILED' ? { fields: expect.any(Array) } : {}),
});
