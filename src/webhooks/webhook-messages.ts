import type { Transaction } from '../data/database.js';
import { newMessageId } from './message-id.js';
import type { WebhookTopic } from './webhook-topics.js';
import { INSERT_MESSAGES, type MessageState, SUBSCRIBERS, type Subscriber } from './webhooks.sql.js';

/** A fact for the endpoints. `data` has no personal data. */
export interface WebhookFact {
  readonly topic: WebhookTopic;
  /** Null for a fact that belongs to no event. */
  readonly eventId: string | null;
  readonly subjectId: string | null;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of a message: minified JSON in the form of Standard Webhooks. */
export const bodyOf = ({ topic, occurredAt, data }: Pick<WebhookFact, 'topic' | 'occurredAt' | 'data'>) =>
  JSON.stringify({ type: topic, timestamp: occurredAt.toISOString(), data });

/** A message as the statement reads it. */
export const messageOf = (endpointId: string, state: MessageState, fact: WebhookFact) => ({
  id: newMessageId(),
  endpoint_id: endpointId,
  topic: fact.topic,
  event_id: fact.eventId,
  subject_id: fact.subjectId,
  occurred_at: fact.occurredAt,
  body: bodyOf(fact),
  state,
});

/** True if an endpoint chose the topic and the event of a fact. An empty choice means all. */
export const wants = (
  { topics, event_ids: events }: Pick<Subscriber, 'topics' | 'event_ids'>,
  { topic, eventId }: Pick<WebhookFact, 'topic' | 'eventId'>,
): boolean =>
  (topics.length === 0 || topics.includes(topic)) &&
  (events.length === 0 || eventId === null || events.includes(eventId));

/** Writes one message for each endpoint that chose the fact. A stopped endpoint gets a skipped message. */
export function writeMessages(
  tx: Transaction,
  subscribers: readonly Subscriber[],
  facts: readonly WebhookFact[],
): void {
  const messages = facts.flatMap((fact) =>
    subscribers
      .filter((subscriber) => wants(subscriber, fact))
      .map(({ id, status }) => messageOf(id, status === 'active' ? 'waiting' : 'skipped', fact)),
  );
  if (messages.length > 0) tx.write(INSERT_MESSAGES, [JSON.stringify(messages)], messages.length);
}

/**
 * Writes the messages about a change that the feed does not have. Call it in the transaction of the change.
 * @param data without personal data. `version` is added: it is the time in milliseconds, so it grows with each change
 */
export async function announceToWebhooks(
  tx: Transaction,
  topic: WebhookTopic,
  eventId: string | null,
  data: { readonly id?: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const subscribers = await tx.query<Subscriber>(SUBSCRIBERS, [eventId]);
  const occurredAt = new Date();
  const fact = { topic, eventId, subjectId: data.id ?? null, occurredAt };
  writeMessages(tx, subscribers, [{ ...fact, data: { ...data, version: occurredAt.getTime() } }]);
}
