import type { PaymentIntent } from './objects.js';

export interface StripeErrorFields {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: PaymentIntent;
}

/** Sent as `{ error: { … } }`. */
export class StripeError extends Error {
  readonly code: string | undefined;

  /** @param executed true if the operation began; only then Stripe stores the answer under its key */
  constructor(
    readonly status: number,
    readonly fields: StripeErrorFields,
    readonly executed = true,
  ) {
    super(fields.message);
    this.code = fields.code;
  }
}

/** An invalid parameter: nothing was executed. */
export function invalidParameter(param: string, message: string, code?: string): StripeError {
  return new StripeError(
    400,
    { type: 'invalid_request_error', message, param, ...(code && { code }) },
    false,
  );
}

/** A request that the current state forbids. */
export function refused(code: string, message: string, more: Partial<StripeErrorFields> = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', code, message, ...more });
}

export function noSuch(kind: string, id: string, param = 'id'): StripeError {
  const fields = {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${kind}: '${id}'`,
  } as const;
  return new StripeError(404, fields, false);
}
