import type { Statement } from '../../data/database.js';
import type { WebhookRefusal } from './provider-errors.js';

/** A provider is reported after this time without an answer. Shorter outages need no action. */
const UNREACHABLE_AFTER = '10 minutes';

const OK: Statement = {
  name: 'provider_health_ok',
  text: `INSERT INTO provider_health (provider, last_ok_at) VALUES ($1, now())
    ON CONFLICT (provider) DO UPDATE SET last_ok_at = now(), failing_since = NULL`,
};

const FAILED: Statement = {
  name: 'provider_health_failed',
  text: `INSERT INTO provider_health AS health (provider, last_failed_at, failing_since) VALUES ($1, now(), now())
    ON CONFLICT (provider) DO UPDATE SET last_failed_at = now(), failing_since = coalesce(health.failing_since, now())`,
};

const HEARD: Statement = {
  name: 'provider_health_heard',
  text: `INSERT INTO provider_health (provider, last_webhook_at) VALUES ($1, now())
    ON CONFLICT (provider) DO UPDATE SET last_webhook_at = now(), missing_since = NULL`,
};

/**
 * Parameters: provider, time of an event that reconciliation found. If no webhook event has arrived since that time,
 * deliveries are missing. The margin is 10 seconds, because arrivals are stored at most every 10 seconds.
 */
export const MISSED: Statement = {
  name: 'provider_health_missed',
  text: `INSERT INTO provider_health AS health (provider, missing_since) VALUES ($1, $2)
    ON CONFLICT (provider) DO UPDATE SET missing_since = least(health.missing_since, excluded.missing_since)
    WHERE health.last_webhook_at IS NULL OR health.last_webhook_at < excluded.missing_since - interval '10 seconds'`,
};

const refused = (problem: WebhookRefusal): Statement => ({
  name: `provider_health_refused_${problem}`,
  text: `INSERT INTO provider_health (provider, last_refused_at, refused_for) VALUES ($1, now(), '${problem}')
    ON CONFLICT (provider) DO UPDATE SET last_refused_at = now(), refused_for = excluded.refused_for`,
});

// Anyone can send an invalid event. So a refusal is shown only if no valid event has arrived since, or less than a
// minute before it.
export const READ_HEALTH: Statement = {
  name: 'provider_health_read',
  text: `SELECT provider, last_ok_at, last_failed_at, failing_since, last_webhook_at,
      CASE WHEN last_refused_at > now() - interval '1 day'
        AND (last_webhook_at IS NULL OR last_refused_at > last_webhook_at + interval '1 minute')
        THEN refused_for
        WHEN missing_since IS NOT NULL THEN 'missing'
        WHEN unsubscribed_types <> '' THEN 'incomplete' END AS webhook_problem,
      coalesce(unsubscribed_types, '') AS unsubscribed_types
    FROM provider_health`,
};

export const UNREACHABLE: Statement = {
  name: 'provider_health_unreachable',
  text: `SELECT provider FROM provider_health WHERE failing_since < now() - interval '${UNREACHABLE_AFTER}'`,
};

export const WITHOUT_WEBHOOKS: Statement = {
  name: 'provider_health_without_webhooks',
  text: `SELECT provider, missing_since FROM provider_health WHERE missing_since < now() - interval '${UNREACHABLE_AFTER}'`,
};

/**
 * Parameters: provider, force. Returns a row if the subscriptions must be read: they were not read in the last hour,
 * or `force` is true.
 */
export const SUBSCRIPTIONS_DUE: Statement = {
  name: 'provider_health_subscriptions_due',
  text: `SELECT 1 AS one WHERE $2 OR NOT EXISTS (SELECT 1 FROM provider_health
    WHERE provider = $1 AND subscriptions_read_at > now() - interval '1 hour')`,
};

/** Parameters: provider, types without a subscription, or null if the provider does not show them. */
export const SUBSCRIPTIONS_READ: Statement = {
  name: 'provider_health_subscriptions_read',
  text: `INSERT INTO provider_health (provider, subscriptions_read_at, unsubscribed_types) VALUES ($1, now(), $2)
    ON CONFLICT (provider) DO UPDATE SET subscriptions_read_at = now(), unsubscribed_types = excluded.unsubscribed_types`,
};

export type Note = 'ok' | 'failed' | 'heard' | WebhookRefusal;

export const NOTE_HEALTH: Readonly<Record<Note, Statement>> = {
  ok: OK,
  failed: FAILED,
  heard: HEARD,
  signature: refused('signature'),
  clock: refused('clock'),
};
