import { toJsonAmount } from '../common/money/money.js';
import type { DonationWebhookData, PledgeWebhookData } from './dto/webhook-bodies.dto.js';
import type { PledgeOutcome } from './donation-topics.js';
import type { DonationFacts, PledgeFacts } from './webhook-bodies.sql.js';

const aboutDonation = (publicUrl: string, row: Pick<DonationFacts, 'id' | 'event_id' | 'slug'>) => ({
  id: row.id,
  eventId: row.event_id,
  eventSlug: row.slug,
  url: `${publicUrl}/donations?id=${row.id}`,
});

export const donationData = (
  publicUrl: string,
  row: DonationFacts,
  version: bigint,
): DonationWebhookData => ({
  ...aboutDonation(publicUrl, row),
  version: Number(version),
  amount: toJsonAmount(row.amount),
  refundedAmount: toJsonAmount(row.refunded_amount),
  currency: row.currency,
  type: row.type,
  provider: row.provider,
  status: row.status,
  createdAt: row.created_at.toISOString(),
  completedAt: row.completed_at?.toISOString() ?? null,
  updatedAt: row.updated_at.toISOString(),
});

/** The version is the time of the change, because an open pledge has no place in the feed. */
export const pledgeData = (publicUrl: string, row: Omit<PledgeFacts, 'known_status'>): PledgeWebhookData => ({
  ...aboutDonation(publicUrl, row),
  version: row.updated_at.getTime(),
  amount: toJsonAmount(row.pledged_amount ?? row.amount),
  currency: row.currency,
  status: outcomeOf(row),
  roundId: row.round_id,
  paidBy: row.completed_at === null ? row.paid_by : row.id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export function outcomeOf({
  status,
  completed_at,
  paid_by,
}: Pick<PledgeFacts, 'status' | 'completed_at' | 'paid_by'>): PledgeOutcome {
  if (completed_at !== null || paid_by !== null) return 'kept';
  return status === 'PENDING' ? 'open' : 'withdrawn';
}
