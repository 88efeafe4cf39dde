import type { PaymentIntent, PaymentMethod, SetupIntent } from './objects.js';

export interface StripeErrorFields {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: PaymentIntent;
  payment_method?: PaymentMethod;
  setup_intent?: SetupIntent;
}

/** An error of Stripe's API. The answer has the form `{ error: { … } }`. */
export class StripeError extends Error {
  readonly code: string | undefined;

  /**
   * @param executed true if Stripe began the operation. Stripe then stores the answer under the idempotency
   * key
   */
  constructor(
    readonly status: number,
    readonly fields: StripeErrorFields,
    readonly executed = true,
  ) {
    super(fields.message);
    this.code = fields.code;
  }
}

/** Returns the error for an invalid parameter. Stripe executed nothing. */
export function invalidParameter(param: string, message: string, code?: string): StripeError {
  return new StripeError(
    400,
    { type: 'invalid_request_error', message, param, ...(code && { code }) },
    false,
  );
}

/** Returns the error for a request that the current state does not allow. */
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
