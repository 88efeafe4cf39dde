import type { Transaction } from '../../data/database.js';
import { KNOWN_OF_PAYMENT } from './booking.sql.js';

/** What there is already about a payment that is booked just now. */
export interface KnownOfPayment {
  /** Webhook events that found no donation. */
  readonly events: boolean;
  /** Refunds or disputes. */
  readonly returns: boolean;
  /** It was held, or a debit of it failed: an item of the review list, open or closed. */
  readonly alerts: boolean;
  /** Its donation is a try of a checkout that the donor's page named, or that has a second payment. */
  readonly checkout: boolean;
  /** Its donation pays a pledge. */
  readonly pledge: boolean;
}

/** Asked once, behind the lock of the donation, because of nearly every payment there is nothing: five statements less. */
export async function knownOf(tx: Transaction, provider: string, paymentId: string): Promise<KnownOfPayment> {
  const [known] = await tx.query<KnownOfPayment>(KNOWN_OF_PAYMENT, [provider, paymentId]);
  if (!known) throw new Error('a statement without FROM answers one row');
  return known;
}
