import { HttpStatus } from '@nestjs/common';
import { DomainError, InvalidInputError, UnavailableError } from '../../common/errors/domain-errors.js';

/** The provider understood the request and refused it; nothing changed at the provider. */
export class ProviderRefusedError extends DomainError {
  constructor(
    /** The provider's own code, safe to show, such as `amount_too_small`. */
    readonly reason: string,
    code = 'PROVIDER_REFUSED',
    message = `The payment provider refused: ${reason}`,
  ) {
    super(HttpStatus.CONFLICT, code, message);
  }
}

/** The provider gave no usable answer. The request may have succeeded or not. */
export class ProviderUnavailableError extends UnavailableError {
  constructor(provider: string, options?: { cause: unknown }) {
    super('PROVIDER_UNAVAILABLE', `The payment provider (${provider}) does not answer at the moment`, 10);
    this.cause = options?.cause;
  }
}

/** Why webhook events of a provider are refused: a wrong signing secret, or a clock difference. */
export type WebhookRefusal = 'signature' | 'clock';

/** Problems of webhook events: refused, missing, or without a subscription for every used type. */
export const WEBHOOK_PROBLEMS = ['signature', 'clock', 'missing', 'incomplete'] as const;
export type WebhookProblem = (typeof WEBHOOK_PROBLEMS)[number];

/** The webhook event has no valid signature. */
export class WebhookSignatureError extends InvalidInputError {
  constructor(
    /** For the log, not for the sender. */
    readonly reason: string,
    /** Absent if the request does not look like a webhook event of this provider. */
    readonly problem?: WebhookRefusal,
  ) {
    super('WEBHOOK_SIGNATURE_INVALID', 'The signature does not match the body, or is too old');
  }
}

/**
 * The provider does not know the object, or does not show it to our key. The object may appear later, or belong to
 * another account.
 */
export class PaymentUnreadableError extends ProviderRefusedError {}

/** The provider works, but the API key lacks a permission. A retry helps only after the key gets the permission. */
export class MissingRightError extends PaymentUnreadableError {
  constructor(
    provider: string,
    /** The right's name in the provider's dashboard. */
    readonly right: string,
    reason: string,
  ) {
    super(
      reason,
      'PROVIDER_RIGHT_MISSING',
      `The API key of ${provider} lacks the right ${right}: give it that right in the provider's dashboard`,
    );
  }

  /** The error for donors. It does not name the permission, because donors cannot change our key. */
  withoutRight(): ProviderRefusedError {
    return new ProviderRefusedError(this.reason);
  }
}

/** A webhook event about money cannot be handled yet. The answer is 503, so that the provider sends the event again. */
export class WebhookUnsettledError extends UnavailableError {
  constructor(webhookEventId: string, reason: string) {
    super(
      'WEBHOOK_UNSETTLED',
      `The payment of the webhook event ${webhookEventId} cannot be read (${reason})`,
      600,
    );
  }
}

/** Codes of the providers for an object that does not exist or belongs to another account. */
const MISSING: ReadonlySet<string> = new Set(['resource_missing', 'RESOURCE_NOT_FOUND']);

export const isMissing = (error: unknown): error is ProviderRefusedError =>
  error instanceof ProviderRefusedError && MISSING.has(error.reason);
