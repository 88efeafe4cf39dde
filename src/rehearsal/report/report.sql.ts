import type { Statement } from '../../data/database.js';

/** A device that sends a record this late had kept it in its queue. */
const QUEUED = "interval '30 seconds'";

export interface FactsRow {
  readonly visited_at: Date | null;
  readonly mail_sent: boolean;
  readonly webhook_heard: boolean;
  readonly terminals: number;
  readonly silent_terminals: string[];
  readonly untried_queues: string[];
  readonly members: number;
  readonly unused_pins: string[];
  readonly addresses: string[];
}

/** The facts of a rehearsal that its checks judge. $1: the rehearsal */
export const FACTS: Statement = {
  name: 'rehearsal_report_facts',
  text: `WITH twin AS (
      SELECT event.id, event.rehearsal_of, rehearsal.started_at, rehearsal.visited_at
      FROM event JOIN rehearsal ON rehearsal.event_id = event.id WHERE event.id = $1
    ), sign_in AS MATERIALIZED (
      SELECT subject_id AS member, address FROM audit_entry, twin
      WHERE audit_entry.created_at >= twin.started_at AND action = 'staff.sign_in' AND detail ->> 'event' = twin.id::text
    ), till AS (
      SELECT terminal.id, terminal.name, terminal.last_used_at >= twin.started_at AS is_heard, EXISTS (
          SELECT FROM donation WHERE donation.event_id = twin.id AND donation.terminal_id = terminal.id
            AND donation.recorded_at < donation.created_at - ${QUEUED}) AS is_tried
      FROM terminal, twin
      WHERE terminal.revoked_at IS NULL AND (terminal.event_id IS NULL OR terminal.event_id = twin.rehearsal_of)
    ), member AS (
      SELECT staff_member.name, EXISTS (SELECT FROM sign_in WHERE sign_in.member = staff_member.id::text) AS is_used
      FROM event_staff JOIN staff_member ON staff_member.id = event_staff.staff_id, twin
      WHERE event_staff.event_id = twin.id AND staff_member.deleted_at IS NULL
    )
    SELECT twin.visited_at,
      EXISTS (SELECT FROM email JOIN donation ON donation.id = email.donation_id
        WHERE donation.event_id = twin.id AND email.state = 'sent') AS mail_sent,
      EXISTS (SELECT FROM provider_health WHERE last_webhook_at >= twin.started_at) AS webhook_heard,
      (SELECT count(*)::int FROM till) AS terminals,
      ARRAY(SELECT name FROM till WHERE is_heard IS NOT TRUE ORDER BY name) AS silent_terminals,
      ARRAY(SELECT name FROM till WHERE NOT is_tried ORDER BY name) AS untried_queues,
      (SELECT count(*)::int FROM member) AS members,
      ARRAY(SELECT name FROM member WHERE NOT is_used ORDER BY name) AS unused_pins,
      ARRAY(SELECT DISTINCT address FROM sign_in WHERE address IS NOT NULL ORDER BY 1) AS addresses
    FROM twin`,
};

/** $1: the rehearsal */
export const VISITED: Statement = {
  name: 'rehearsal_visited',
  text: `UPDATE rehearsal SET visited_at = now() FROM event
    WHERE rehearsal.event_id = $1 AND event.id = rehearsal.event_id AND ended_at IS NULL RETURNING event.slug`,
};
