import { HttpStatus } from '@nestjs/common';
import { DomainError, UnavailableError } from '../common/errors/domain-errors.js';

/** The provider understood the request and said no; nothing happened there. */
export class ProviderRefusedError extends DomainError {
  constructor(
    /** The provider's own code, safe to show, such as `amount_too_small`. */
    readonly reason: string,
    message = `The payment provider refused: ${reason}`,
  ) {
    super(HttpStatus.CONFLICT, 'PROVIDER_REFUSED', message);
  }
}

/** No usable answer of the provider: the request may or may not have had its effect. */
export class ProviderUnavailableError extends UnavailableError {
  constructor(provider: string, options?: { cause: unknown }) {
    super('PROVIDER_UNAVAILABLE', `The payment provider (${provider}) gives no answer at the moment`, 10);
    this.cause = options?.cause;
  }
}

/** What providers call an object that they do not know, or not as one of this account. */
const MISSING: ReadonlySet<string> = new Set(['resource_missing', 'RESOURCE_NOT_FOUND']);

export const isMissing = (error: unknown): error is ProviderRefusedError =>
  error instanceof ProviderRefusedError && MISSING.has(error.reason);
