import { expect } from '@jest/globals';
import type { Sandbox } from '../../sandbox/server/sandbox.js';
import { sql } from '../support/fixtures.js';
import { expectSettledBooks } from '../money/invariants.js';
import type { CrashingService } from './crashing-service.js';

export interface Donation {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly refunded: number;
  readonly paymentId: string | null;
  /** Number of `donation.created` announcements. */
  readonly created: number;
}

/** Returns the donations with this donor's e-mail address. Their number shows a lost or doubled donation. */
export const donationsOf = (service: Pick<CrashingService, 'databaseUrl'>, email: string) =>
  sql<Donation>(
    service,
    `SELECT id, status, amount::int, refunded_amount::int AS refunded, payment_id AS "paymentId",
       (SELECT count(*)::int FROM outbox o WHERE o.donation_id = d.id AND topic = 'donation.created') AS created
     FROM donation d WHERE donor_email = $1 ORDER BY id`,
    [email],
  );

/** Returns the ids of the provider payments whose metadata contains this donation. */
export function paymentsOf({ stripe, paypal }: Sandbox, donationId: string): string[] {
  return [
    ...stripe.payments().filter(({ id }) => stripe.intent(id).metadata.donationId === donationId),
    ...paypal
      .payments()
      .filter(({ id }) =>
        paypal.order(id).purchase_units.some((unit) => 'custom_id' in unit && unit.custom_id === donationId),
      ),
  ].map(({ id }) => id);
}

/**
 * Checks that totals equal a recount, histories are complete, every payment has its donation, and amounts
 * equal the amounts of the providers.
 */
export async function expectBooksOfProviders(service: CrashingService): Promise<void> {
  const { stripe, paypal } = service.sandbox;
  const events = await sql<{ id: string; payments: string[] }>(
    service,
    'SELECT event_id AS id, array_remove(array_agg(payment_id), NULL) AS payments FROM donation GROUP BY event_id',
  );
  for (const { id, payments } of events) await expectSettledBooks(service, id, payments);
  const known = new Set(events.flatMap(({ payments }) => payments));
  for (const { id } of [...stripe.payments(), ...paypal.payments()]) expect(known).toContain(id);
}
