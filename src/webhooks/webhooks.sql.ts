import type { Statement } from '../data/database.js';
import type { WebhookTopic } from './webhook-topics.js';

export const ENDPOINT_STATUSES = ['active', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];
export const PAYLOADS = ['thin', 'full'] as const;
export type Payload = (typeof PAYLOADS)[number];
export const MESSAGE_STATES = ['waiting', 'delivered', 'failed', 'skipped'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Time for which messages are kept. */
const KEPT = '30 days';

/** An endpoint without its secrets. */
export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly topics: WebhookTopic[];
  readonly event_ids: string[];
  readonly payload: Payload;
  readonly old_secret_until: Date | null;
  readonly status: EndpointStatus;
  readonly disabled_reason: string | null;
  readonly stopped_at: Date | null;
  readonly failing_since: Date | null;
  readonly failures: number;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** An endpoint with the figures of its messages. */
export interface EndpointWithFigures extends EndpointRow {
  readonly waiting: number;
  readonly oldest_waiting_at: Date | null;
  readonly failed: number;
  readonly attempts_24h: number;
  readonly successes_24h: number;
}

export interface MessageRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly topic: WebhookTopic;
  readonly event_id: string | null;
  readonly subject_id: string | null;
  readonly occurred_at: Date;
  readonly body: string;
  readonly state: MessageState;
  readonly attempts: number;
  readonly next_at: Date;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
}

export interface AttemptRow {
  readonly message_id: string;
  readonly at: Date;
  readonly is_success: boolean;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly error: string | null;
}

/** A message that this process has reserved, with the endpoint. */
export interface ClaimedMessage extends MessageRow {
  readonly claimed_until: Date;
  readonly url: string;
  readonly payload: Payload;
  readonly secret_sealed: Buffer;
  /** Null after the time in which the old secret signs too. */
  readonly old_secret_sealed: Buffer | null;
}

const ENDPOINT = `endpoint.id, endpoint.url, endpoint.description, endpoint.topics, endpoint.event_ids, endpoint.payload,
  endpoint.old_secret_until, endpoint.status, endpoint.disabled_reason, endpoint.stopped_at, endpoint.failing_since,
  endpoint.failures, endpoint.delivered_at, endpoint.created_at, endpoint.updated_at`;

const WITH_FIGURES = `SELECT ${ENDPOINT}, waiting.count AS waiting, waiting.oldest AS oldest_waiting_at, failed.count AS failed,
    recent.attempts AS attempts_24h, recent.successes AS successes_24h
  FROM webhook_endpoint endpoint
  CROSS JOIN LATERAL (SELECT count(*)::int AS count, min(created_at) AS oldest FROM webhook_message
    WHERE endpoint_id = endpoint.id AND state = 'waiting') AS waiting
  CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM webhook_message
    WHERE endpoint_id = endpoint.id AND state = 'failed') AS failed
  CROSS JOIN LATERAL (SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE is_success))::int AS successes
    FROM webhook_attempt WHERE endpoint_id = endpoint.id AND at > now() - interval '24 hours') AS recent`;

export const ENDPOINTS: Statement = {
  name: 'webhook_endpoints',
  text: `${WITH_FIGURES} ORDER BY endpoint.id`,
};

export const ENDPOINT_BY_ID: Statement = {
  name: 'webhook_endpoint_by_id',
  text: `${WITH_FIGURES} WHERE endpoint.id = $1`,
};

export const LOCK_ENDPOINT: Statement = {
  name: 'webhook_endpoint_lock',
  text: `SELECT ${ENDPOINT} FROM webhook_endpoint endpoint WHERE id = $1 FOR NO KEY UPDATE`,
};

/** The topics and events that an endpoint chose. */
export interface Subscriber {
  readonly id: string;
  readonly topics: readonly WebhookTopic[];
  readonly event_ids: readonly string[];
  readonly status: EndpointStatus;
}

export const SUBSCRIBERS: Statement = {
  name: 'webhook_subscribers',
  text: 'SELECT id, topics, event_ids, status FROM webhook_endpoint ORDER BY id',
};

export const LOCK_SUBSCRIBERS: Statement = {
  name: 'webhook_subscribers_lock',
  text: 'SELECT id, topics, event_ids, status FROM webhook_endpoint WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
};

/** $1: id; $2: address; $3: description; $4: topics; $5: events; $6: payload; $7: secret; $8: creator; $9: maximum number */
export const INSERT_ENDPOINT: Statement = {
  name: 'webhook_endpoint_insert',
  text: `INSERT INTO webhook_endpoint (id, url, description, topics, event_ids, payload, secret_sealed, created_by)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE (SELECT count(*) FROM webhook_endpoint) < $9 RETURNING id`,
};

export const UPDATE_ENDPOINT: Statement = {
  name: 'webhook_endpoint_update',
  text: `UPDATE webhook_endpoint SET url = $2, description = $3, topics = $4, event_ids = $5, payload = $6, updated_at = now()
    WHERE id = $1`,
};

export const DELETE_ENDPOINT: Statement = {
  name: 'webhook_endpoint_delete',
  text: 'DELETE FROM webhook_endpoint WHERE id = $1 RETURNING id',
};

/** $1: endpoint; $2: new secret; $3: time for which the old secret signs too */
export const ROTATE_SECRET: Statement = {
  name: 'webhook_endpoint_rotate',
  text: `UPDATE webhook_endpoint SET old_secret_sealed = secret_sealed, old_secret_until = now() + $3::interval,
      secret_sealed = $2, updated_at = now() WHERE id = $1`,
};

/** Pauses or disables an active endpoint. Returns no row if it is not active. $2: status; $3: reason */
export const STOP: Statement = {
  name: 'webhook_endpoint_stop',
  text: `UPDATE webhook_endpoint SET status = $2, disabled_reason = $3, stopped_at = now(), updated_at = now()
    WHERE id = $1 AND status = 'active' RETURNING id`,
};

/** Skips the waiting messages of an endpoint. */
export const SKIP_WAITING: Statement = {
  name: 'webhook_messages_skip',
  text: `UPDATE webhook_message SET state = 'skipped', next_at = now(), claimed_until = NULL
    WHERE endpoint_id = $1 AND state = 'waiting'`,
};

/** $1: endpoint; $2: pause between two messages; $3: the most messages */
export const SEND_SKIPPED: Statement = {
  name: 'webhook_messages_send_skipped',
  text: `WITH missed AS (
      SELECT id, row_number() OVER (ORDER BY id) AS place FROM (
        SELECT m.id FROM webhook_message m JOIN webhook_endpoint e ON e.id = m.endpoint_id
        WHERE e.id = $1 AND m.state = 'skipped' AND m.next_at >= e.stopped_at ORDER BY m.id LIMIT $3) AS oldest
    )
    UPDATE webhook_message m SET state = 'waiting', attempts = 0, next_at = now() + missed.place * $2::interval
    FROM missed WHERE m.id = missed.id RETURNING 1 AS one`,
};

export const ENABLE: Statement = {
  name: 'webhook_endpoint_enable',
  text: `UPDATE webhook_endpoint SET status = 'active', disabled_reason = NULL, stopped_at = NULL, failing_since = NULL,
      failures = 0, updated_at = now() WHERE id = $1`,
};

/** Writes messages. $1: facts as a JSON array; $2: ids; $3: endpoints; $4: states; $5: number of the fact of each message, from 1 */
export const INSERT_MESSAGES: Statement = {
  name: 'webhook_messages_insert',
  text: `INSERT INTO webhook_message (id, endpoint_id, topic, event_id, subject_id, occurred_at, body, state, next_at)
    SELECT message.id, message.endpoint_id, fact.topic, fact.event_id, fact.subject_id, fact.occurred_at, fact.body, message.state, now()
    FROM unnest($2::text[], $3::uuid[], $4::text[], $5::bigint[]) AS message (id, endpoint_id, state, fact)
    JOIN ROWS FROM (json_to_recordset($1::json) AS
        (topic text, event_id uuid, subject_id uuid, occurred_at timestamptz, body text)) WITH ORDINALITY
      AS fact (topic, event_id, subject_id, occurred_at, body, number) ON fact.number = message.fact`,
};

const CLAIMED = `m.id, m.endpoint_id, m.topic, m.event_id, m.subject_id, m.occurred_at, m.body, m.state, m.attempts, m.next_at,
  m.last_status, m.last_error, m.delivered_at, m.created_at, m.claimed_until, e.url, e.payload, e.secret_sealed,
  CASE WHEN e.old_secret_until > now() THEN e.old_secret_sealed END AS old_secret_sealed`;

/**
 * Reserves messages that are due: at most $1 an endpoint, less those that this process is sending.
 * $2, $3: endpoints with the numbers of their messages in flight; $4: time of the reservation
 */
export const CLAIM: Statement = {
  name: 'webhook_messages_claim',
  text: `WITH room AS (
      SELECT e.id, greatest(0, $1 - coalesce(busy.count, 0)) AS places FROM webhook_endpoint e
        LEFT JOIN unnest($2::uuid[], $3::int[]) AS busy (id, count) ON busy.id = e.id WHERE e.status = 'active'
    ), due AS (
      SELECT own.id FROM room CROSS JOIN LATERAL (
        SELECT id FROM webhook_message WHERE endpoint_id = room.id AND state = 'waiting' AND next_at <= now()
          AND (claimed_until IS NULL OR claimed_until < now())
        ORDER BY next_at, id LIMIT room.places FOR UPDATE SKIP LOCKED) AS own
    )
    UPDATE webhook_message m SET claimed_until = now() + $4::interval, attempts = m.attempts + 1
    FROM due, webhook_endpoint e WHERE m.id = due.id AND e.id = m.endpoint_id RETURNING ${CLAIMED}`,
};

/** Reserves one message for a test. $1: message; $2: time of the reservation */
export const CLAIM_TEST: Statement = {
  name: 'webhook_message_claim_test',
  text: `UPDATE webhook_message m SET claimed_until = now() + $2::interval, attempts = m.attempts + 1
    FROM webhook_endpoint e WHERE m.id = $1 AND e.id = m.endpoint_id RETURNING ${CLAIMED}`,
};

/**
 * Writes the result of an attempt. Returns no row if the reservation is over.
 * $1, $2: message and its reservation; $3: state; $4: wait before the next attempt; $5: status; $6: error
 */
export const FINISH: Statement = {
  name: 'webhook_message_finish',
  text: `UPDATE webhook_message SET claimed_until = NULL, last_status = $5, last_error = $6,
      state = CASE WHEN state = 'waiting' OR $3 = 'delivered' THEN $3 ELSE state END,
      next_at = CASE WHEN state = 'waiting' THEN now() + $4::interval ELSE next_at END,
      delivered_at = CASE WHEN $3 = 'delivered' THEN now() ELSE delivered_at END
    WHERE id = $1 AND claimed_until = $2 RETURNING id`,
};

/** $1: id; $2: message; $3: endpoint; $4: success; $5: status; $6: milliseconds; $7: error */
export const INSERT_ATTEMPT: Statement = {
  name: 'webhook_attempt_insert',
  text: `INSERT INTO webhook_attempt (id, message_id, endpoint_id, is_success, status, milliseconds, error)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};

/** Keeps the last ten attempts of a message. */
export const TRIM_ATTEMPTS: Statement = {
  name: 'webhook_attempts_trim',
  text: `DELETE FROM webhook_attempt WHERE message_id = $1 AND id NOT IN (
      SELECT id FROM webhook_attempt WHERE message_id = $1 ORDER BY id DESC LIMIT 10)`,
};

export const NOTE_SUCCESS: Statement = {
  name: 'webhook_endpoint_success',
  text: 'UPDATE webhook_endpoint SET failing_since = NULL, failures = 0, delivered_at = now() WHERE id = $1',
};

/** Counts a failure. `is_over` is true if the endpoint has failed for too long. */
export const NOTE_FAILURE: Statement = {
  name: 'webhook_endpoint_failure',
  text: `UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()), failures = failures + 1 WHERE id = $1
    RETURNING failing_since <= now() - interval '5 days'
      OR (failures >= 100 AND failing_since <= now() - interval '24 hours') AS is_over`,
};

/** $1: endpoint; $2: states or null; $3: topic or null; $4: last id of the page before, or null; $5: limit */
export const MESSAGES: Statement = {
  name: 'webhook_messages',
  text: `SELECT id, endpoint_id, topic, event_id, subject_id, occurred_at, body, state, attempts, next_at, last_status, last_error,
      delivered_at, created_at FROM webhook_message
    WHERE endpoint_id = $1 AND ($2::text[] IS NULL OR state = ANY($2)) AND ($3::text IS NULL OR topic = $3)
      AND ($4::text IS NULL OR id < $4) ORDER BY id DESC LIMIT $5`,
};

/** $1: messages. Newest first. */
export const ATTEMPTS_OF: Statement = {
  name: 'webhook_attempts_of',
  text: `SELECT message_id, at, is_success, status, milliseconds, error FROM webhook_attempt WHERE message_id = ANY($1::text[])
    ORDER BY id DESC`,
};

/** $1: endpoint; $2: message */
export const RESEND: Statement = {
  name: 'webhook_message_resend',
  text: `UPDATE webhook_message SET state = 'waiting', attempts = 0, next_at = now(), claimed_until = NULL
    WHERE endpoint_id = $1 AND id = $2 AND topic <> 'test.ping' RETURNING id`,
};

/** $1: endpoint; $2, $3: times of the messages; $4: states; $5: pause between two messages; $6: the most messages */
export const REPLAY: Statement = {
  name: 'webhook_messages_replay',
  text: `WITH chosen AS (
      SELECT id, row_number() OVER (ORDER BY id) AS place FROM (
        SELECT id FROM webhook_message WHERE endpoint_id = $1 AND created_at >= $2 AND created_at < $3
          AND state = ANY($4::text[]) AND topic <> 'test.ping' ORDER BY id LIMIT $6) AS oldest
    )
    UPDATE webhook_message m SET state = 'waiting', attempts = 0, claimed_until = NULL,
      next_at = now() + chosen.place * $5::interval
    FROM chosen WHERE m.id = chosen.id RETURNING 1 AS one`,
};

/** Deletes old messages, at most $1. */
export const PRUNE: Statement = {
  name: 'webhook_messages_prune',
  text: `DELETE FROM webhook_message WHERE id IN (
      SELECT id FROM webhook_message WHERE created_at < now() - interval '${KEPT}' ORDER BY created_at LIMIT $1)
    RETURNING 1 AS one`,
};

/** Administrators who can sign in. */
export const ADMINS: Statement = {
  name: 'webhook_admins',
  text: `SELECT id FROM admin WHERE role = 'ADMIN' AND disabled_at IS NULL ORDER BY id`,
};

/** $1: administrator; $2: disabled endpoint */
export const ADMIN_AND_ENDPOINT: Statement = {
  name: 'webhook_admin_and_endpoint',
  text: `SELECT admin.email, admin.name, endpoint.description, endpoint.url FROM admin, webhook_endpoint endpoint
    WHERE admin.id = $1 AND admin.disabled_at IS NULL AND endpoint.id = $2 AND endpoint.status = 'disabled'`,
};
