/** Topics that an endpoint can choose, in the order of the documentation. */
export const CHOSEN_TOPICS = [
  'donation.completed',
  'donation.updated',
  'donation.refunded',
  'donation.cancelled',
  'donation.restored',
  'pledge.made',
  'pledge.kept',
  'pledge.withdrawn',
  'match.changed',
  'milestone.reached',
  'event.status_changed',
  'shift.closed',
  'donor.erased',
] as const;

/** All topics of webhooks. Each endpoint can get a test message. */
export const WEBHOOK_TOPICS = [...CHOSEN_TOPICS, 'test.ping'] as const;

export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number];
export type DonationWebhookTopic = Extract<WebhookTopic, `donation.${string}`>;
export type PledgeWebhookTopic = Extract<WebhookTopic, `pledge.${string}`>;
