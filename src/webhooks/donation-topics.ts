import type { DonationStatus } from '../donations/lifecycle/donation-lifecycle.js';
import type { DonationWebhookTopic, PledgeWebhookTopic } from './webhook-topics.js';

/** State of a donation that decides the topics of its messages. */
export interface DonationState {
  readonly status: DonationStatus;
  readonly refunded: bigint;
  readonly changedAt: Date;
}

/**
 * The topics of the messages about a donation, oldest first.
 * @param before the state in the last message, PENDING for a pledge; undefined if there was none
 * @param isNew true if the feed announces the donation as completed
 */
export function donationTopics(
  before: DonationState | undefined,
  now: DonationState,
  isNew: boolean,
): DonationWebhookTopic[] {
  const topics: DonationWebhookTopic[] = [];
  const told = before?.status === 'PENDING' ? undefined : before;
  if (!told && isNew) topics.push('donation.completed');
  // A donation without a message was completed before there was an endpoint.
  const known = told ?? { status: 'COMPLETED', refunded: 0n, changedAt: isNew ? now.changedAt : undefined };
  if (known.status !== 'COMPLETED' && now.status === 'COMPLETED') topics.push('donation.restored');
  else if (now.refunded !== known.refunded) topics.push('donation.refunded');
  if (known.status !== 'CANCELLED' && now.status === 'CANCELLED') topics.push('donation.cancelled');
  if (topics.length === 0 && known.changedAt?.getTime() !== now.changedAt.getTime())
    topics.push('donation.updated');
  return topics;
}

export type PledgeOutcome = 'open' | 'kept' | 'withdrawn';

/** @param isKnown true if the pledge had a message, or was made before the first endpoint */
export const pledgeTopics = (isKnown: boolean, outcome: PledgeOutcome): PledgeWebhookTopic[] => [
  ...(isKnown ? [] : (['pledge.made'] as const)),
  ...(outcome === 'open' ? [] : ([`pledge.${outcome}`] as const)),
];
