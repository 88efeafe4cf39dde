import type { Actor } from '../common/access/actor.js';
import type { Transaction } from '../data/database.js';

/** What became of a fact; kept with the provider's webhook event. */
export type BookingOutcome =
  | { readonly kind: 'booked'; readonly donationId: string }
  | { readonly kind: 'unchanged'; readonly donationId: string }
  /** Kept for the success it belongs to. */
  | { readonly kind: 'kept'; readonly paymentId: string }
  /** Money for an event that does not exist here: open until an admin assigns it. */
  | { readonly kind: 'unmatched'; readonly paymentId: string }
  /** Not a payment of this service. */
  | { readonly kind: 'foreign' };

/** The provider a fact came from and, for webhook events, its id there. */
export interface FactSource {
  readonly provider: string;
  readonly type: 'card' | 'wallet';
  readonly webhookEventId: string | null;
  readonly isReversal: boolean;
}

/** What comes with facts that the provider did not send by itself. */
export interface BookingContext {
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
  /** Written in the same transaction, such as the record of who asked for it. */
  readonly also?: (tx: Transaction) => Promise<void>;
}

export const actorOfFact = ({
  webhookEventId,
  provider,
}: Pick<FactSource, 'provider' | 'webhookEventId'>): Actor => ({
  kind: 'provider',
  id: webhookEventId ?? provider,
});

/** For the webhook event: what became of it, and of which donation or payment. */
export function summary(outcomes: readonly BookingOutcome[]): [string, string | null, string | null] {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  const donation = outcomes.find((outcome) => 'donationId' in outcome);
  const open = outcomes.find((outcome) => 'paymentId' in outcome);
  return [
    kinds.join('+') || 'ignored',
    donation && 'donationId' in donation ? donation.donationId : null,
    open && 'paymentId' in open ? open.paymentId : null,
  ];
}
