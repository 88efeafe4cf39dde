import { expect } from '@jest/globals';
import type { TestApp } from './app.js';

/** Requests that carry a token. */
export function as(app: Pick<TestApp, 'http'>, token: string) {
  const bearer = { type: 'bearer' } as const;
  return {
    get: (path: string) => app.http.get(path).auth(token, bearer),
    post: (path: string, body?: object) => app.http.post(path).auth(token, bearer).send(body),
    put: (path: string, body?: object) => app.http.put(path).auth(token, bearer).send(body),
    patch: (path: string, body?: object) => app.http.patch(path).auth(token, bearer).send(body),
    delete: (path: string) => app.http.delete(path).auth(token, bearer),
  };
}

export type Caller = ReturnType<typeof as>;

/** A donation as the API answers it. */
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

/** `{ statusCode, message, error }`, as every error is. */
export const errorBody = (statusCode: number, error: string, code?: string): object => ({
  statusCode,
  message: expect.any(String),
  error,
  ...(code ? { code } : {}),
});
