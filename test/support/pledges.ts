import { randomUUID } from 'node:crypto';
import { newId } from '../../src/common/crypto/ids.js';
import { PledgeClock } from '../../src/pledges/emails/pledge-clock.js';
import { PledgeSchedule } from '../../src/pledges/emails/pledge-schedule.service.js';
import type { TestApp } from './app.js';
import type { Caller, DonationBody } from './bearer.js';
import { sql } from './fixtures.js';
import { until } from './until.js';

const DAY_MS = 86_400_000;

/** Moves the clock of the e-mails about pledges and runs their schedule. */
export function pledgeSchedule(app: TestApp) {
  const clock = () => app.app.get(PledgeClock, { strict: false });
  const schedule = () => app.app.get(PledgeSchedule, { strict: false });
  const set = (time: Date) => {
    clock().now = () => time;
  };
  return {
    set,
    thank: () => schedule().thank(),
    remind: () => schedule().remind(),
    /** Thanks for all pledges that are there. Returns the number of e-mails. */
    thankAfter: async (milliseconds = 61_000) => {
      set(new Date(Date.now() + milliseconds));
      return await schedule().thank();
    },
    /** Sends the reminders at noon in UTC, this number of days after today. Returns the number of e-mails. */
    remindOn: async (day: number) => {
      set(noon(day));
      return await schedule().remind();
    },
  };
}

/** Noon in UTC, this number of days after today. */
export const noon = (day: number): Date =>
  new Date((Math.floor(Date.now() / DAY_MS) + day) * DAY_MS + DAY_MS / 2);

export const someAddress = () => `ada-${newId()}@example.org`;

/** Records pledges with the API and returns their ids. */
export const recordPledge = async (admin: Caller, fields: object): Promise<string> =>
  (
    (
      await admin
        .post('/donations', { type: 'pledge', amount: 50_000, donorName: 'Ada', ...fields })
        .set('Idempotency-Key', randomUUID())
        .expect(201)
    ).body as DonationBody
  ).id;

export interface QueuedEmail {
  readonly kind: string;
  readonly state: string;
  readonly subject: string;
}

/** The e-mails of a pledge, in the order in which they were queued. */
export const emailsOf = async (app: TestApp, pledgeId: string): Promise<QueuedEmail[]> =>
  await sql<QueuedEmail>(app, 'SELECT kind, state, subject FROM email WHERE donation_id = $1 ORDER BY id', [
    pledgeId,
  ]);

/** A time zone in which it is this hour now. */
export function zoneAt(hour: number): string {
  const ahead = (hour - new Date().getUTCHours() + 24) % 24;
  // The sign of these zones is the opposite of the usual one.
  return ahead <= 14 ? `Etc/GMT-${ahead}` : `Etc/GMT+${24 - ahead}`;
}

/** Waits for a failed attempt of an e-mail about a pledge, and holds the e-mail back for an hour. */
export const heldBack = (app: TestApp, pledgeId: string) =>
  until(
    async () =>
      (
        await sql(
          app,
          `UPDATE email SET next_attempt_at = now() + interval '1 hour'
            WHERE donation_id = $1 AND claimed_until IS NULL AND last_error IS NOT NULL AND state = 'queued' RETURNING 1`,
          [pledgeId],
        )
      ).length > 0,
    'a failed attempt',
  );
