import { isRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Transaction } from '../data/database.js';
import { newMessageId } from './message-id.js';
import type { WebhookData } from './dto/webhook-bodies.dto.js';
import type { WebhookTopic } from './webhook-topics.js';
import {
  INSERT_MESSAGES,
  LOCK_SUBSCRIBERS,
  type MessageState,
  SUBSCRIBERS,
  type Subscriber,
} from './webhooks.sql.js';

interface AnyFact {
  readonly topic: WebhookTopic;
  /** Null for a fact that belongs to no event. */
  readonly eventId: string | null;
  readonly subjectId: string | null;
  readonly occurredAt: Date;
  readonly data: object;
}

/** A fact for the endpoints. `data` has no personal data. */
export type WebhookFact = {
  [Topic in WebhookTopic]: AnyFact & { readonly topic: Topic; readonly data: WebhookData<Topic> };
}[WebhookTopic];

/** The body of a message: minified JSON in the form of Standard Webhooks. */
export const bodyOf = ({ topic, occurredAt, data }: Pick<AnyFact, 'topic' | 'occurredAt' | 'data'>) =>
  JSON.stringify({ type: topic, timestamp: occurredAt.toISOString(), data });

/** Messages as `INSERT_MESSAGES` reads them. The body of a fact is sent once for all endpoints. */
export function insertValues(
  facts: readonly AnyFact[],
  messages: readonly {
    readonly id: string;
    readonly endpointId: string;
    readonly state: MessageState;
    readonly fact: number;
  }[],
): unknown[] {
  const rows = facts.map((fact) => ({
    topic: fact.topic,
    event_id: fact.eventId,
    subject_id: fact.subjectId,
    occurred_at: fact.occurredAt,
    body: bodyOf(fact),
  }));
  return [
    JSON.stringify(rows),
    messages.map(({ id }) => id),
    messages.map(({ endpointId }) => endpointId),
    messages.map(({ state }) => state),
    messages.map(({ fact }) => fact + 1),
  ];
}

/** True if an endpoint chose the topic and the event of a fact. An empty choice means all real events; a rehearsal has no webhooks. */
export const wants = (
  { topics, event_ids: events }: Pick<Subscriber, 'topics' | 'event_ids'>,
  { topic, eventId }: Pick<AnyFact, 'topic' | 'eventId'>,
): boolean =>
  !(eventId !== null && isRehearsal(eventId)) &&
  (topics.length === 0 || topics.includes(topic)) &&
  (events.length === 0 || eventId === null || events.includes(eventId));

/**
 * The endpoints with their topics and events. Stopped ones are locked, so that one which is enabled now does not miss the
 * messages of this transaction.
 */
export async function subscribersOf(tx: Transaction): Promise<readonly Subscriber[]> {
  const all = await tx.query<Subscriber>(SUBSCRIBERS);
  const stopped = all.filter(({ status }) => status !== 'active').map(({ id }) => id);
  if (stopped.length === 0) return all;
  const now = await tx.query<Subscriber>(LOCK_SUBSCRIBERS, [stopped]);
  return [...all.filter(({ status }) => status === 'active'), ...now];
}

/** Writes one message for each endpoint that chose the fact. A stopped endpoint gets a skipped message. */
export function writeMessages(
  tx: Transaction,
  subscribers: readonly Subscriber[],
  facts: readonly AnyFact[],
): void {
  const messages = facts.flatMap((fact, index) =>
    subscribers
      .filter((subscriber) => wants(subscriber, fact))
      .map(({ id, status }) => ({
        id: newMessageId(),
        endpointId: id,
        state: status === 'active' ? ('waiting' as const) : ('skipped' as const),
        fact: index,
      })),
  );
  if (messages.length > 0) tx.write(INSERT_MESSAGES, insertValues(facts, messages), messages.length);
}

type ApartTopic = 'event.status_changed' | 'shift.closed' | 'donor.erased';

/**
 * Writes the messages about a change that the feed does not have. Call it in the transaction of the change.
 * @param data without personal data. `version` is added: it is the time in milliseconds, so it grows with each change
 */
export async function announceToWebhooks<Topic extends ApartTopic>(
  tx: Transaction,
  topic: Topic,
  eventId: string | null,
  data: Omit<WebhookData<Topic>, 'version'>,
): Promise<void> {
  const subscribers = await subscribersOf(tx);
  const occurredAt = new Date();
  const subjectId = 'id' in data && typeof data.id === 'string' ? data.id : null;
  const versioned = { ...data, version: occurredAt.getTime() };
  writeMessages(tx, subscribers, [{ topic, eventId, subjectId, occurredAt, data: versioned }]);
}
