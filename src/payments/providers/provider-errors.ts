import { HttpStatus } from '@nestjs/common';
import { DomainError, InvalidInputError, UnavailableError } from '../../common/errors/domain-errors.js';

/** The provider understood the request and said no; nothing happened there. */
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

/** No usable answer of the provider: the request may or may not have had its effect. */
export class ProviderUnavailableError extends UnavailableError {
  constructor(provider: string, options?: { cause: unknown }) {
    super('PROVIDER_UNAVAILABLE', `The payment provider (${provider}) gives no answer at the moment`, 10);
    this.cause = options?.cause;
  }
}

/** Why webhook events of a provider are refused: the secret by which they are checked, or somebody's clock. */
export type WebhookRefusal = 'signature' | 'clock';

/** What is wrong with them: refused, not arriving at all, or not sent for every type of event that is used. */
export const WEBHOOK_PROBLEMS = ['signature', 'clock', 'missing', 'incomplete'] as const;
export type WebhookProblem = (typeof WEBHOOK_PROBLEMS)[number];

/** A webhook event without a signature that holds. */
export class WebhookSignatureError extends InvalidInputError {
  constructor(
    /** For the log, not for the sender. */
    readonly reason: string,
    /** Absent where it does not look like one of the provider's. */
    readonly problem?: WebhookRefusal,
  ) {
    super('WEBHOOK_SIGNATURE_INVALID', 'The signature does not match the body, or is too old');
  }
}

/** The provider does not know the object, or does not show it to our keys: it may come later, or be somebody else's. */
export class PaymentUnreadableError extends ProviderRefusedError {}

/** The provider is up, and its key may not do this. Asking again changes nothing until the key gets the right. */
export class MissingRightError extends PaymentUnreadableError {
  constructor(
    provider: string,
    /** As the provider's dashboard names it. */
    readonly right: string,
    reason: string,
  ) {
    super(
      reason,
      'PROVIDER_RIGHT_MISSING',
      `The API key of ${provider} lacks the right ${right}: give it that right in the provider's dashboard`,
    );
  }

  /** For donors, who can do nothing about our keys. */
  withoutRight(): ProviderRefusedError {
    return new ProviderRefusedError(this.reason);
  }
}

/** A webhook event about money that could not be settled: not 200, so that the provider sends it again. */
export class WebhookUnsettledError extends UnavailableError {
  constructor(webhookEventId: string, reason: string) {
    super(
      'WEBHOOK_UNSETTLED',
      `What the webhook event ${webhookEventId} is about cannot be read (${reason})`,
      600,
    );
  }
}

/** What providers call an object that they do not know, or not as one of this account. */
const MISSING: ReadonlySet<string> = new Set(['resource_missing', 'RESOURCE_NOT_FOUND']);

export const isMissing = (error: unknown): error is ProviderRefusedError =>
  error instanceof ProviderRefusedError && MISSING.has(error.reason);
