import type { Statement } from '../data/database.js';
import type { WebhookProblem } from './provider-errors.js';

/** Longer than a short outage, after which nobody has to do anything. */
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
    ON CONFLICT (provider) DO UPDATE SET last_webhook_at = now()`,
};

const refused = (problem: WebhookProblem): Statement => ({
  name: `provider_health_refused_${problem}`,
  text: `INSERT INTO provider_health (provider, last_refused_at, refused_for) VALUES ($1, now(), '${problem}')
    ON CONFLICT (provider) DO UPDATE SET last_refused_at = now(), refused_for = excluded.refused_for`,
});

// Anybody can send what is refused: it tells something only where nothing good comes at that time.
export const READ_HEALTH: Statement = {
  name: 'provider_health_read',
  text: `SELECT provider, last_ok_at, last_failed_at, failing_since, last_webhook_at,
      CASE WHEN last_refused_at > now() - interval '1 day'
        AND (last_webhook_at IS NULL OR last_refused_at > last_webhook_at + interval '1 minute')
        THEN refused_for END AS webhook_problem
    FROM provider_health`,
};

export const UNREACHABLE: Statement = {
  name: 'provider_health_unreachable',
  text: `SELECT provider FROM provider_health WHERE failing_since < now() - interval '${UNREACHABLE_AFTER}'`,
};

export type Note = 'ok' | 'failed' | 'heard' | WebhookProblem;

export const NOTE_HEALTH: Readonly<Record<Note, Statement>> = {
  ok: OK,
  failed: FAILED,
  heard: HEARD,
  signature: refused('signature'),
  clock: refused('clock'),
};
