/** The topics of webhooks, in the order of the documentation. */
export const WEBHOOK_TOPICS = [
  'donation.completed',
  'donation.updated',
  'donation.refunded',
  'donation.cancelled',
  'donation.restored',
  'match.changed',
  'milestone.reached',
  'event.status_changed',
  'shift.closed',
  'donor.erased',
  'test.ping',
] as const;

export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number];

/** Topics that an endpoint can choose. Each endpoint can get a test message. */
export const CHOSEN_TOPICS: readonly WebhookTopic[] = WEBHOOK_TOPICS.filter((topic) => topic !== 'test.ping');
