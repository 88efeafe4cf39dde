import { afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { MARK_SENT } from '../../src/mail/emails.sql.js';
import { EmailsService } from '../../src/mail/emails.service.js';
import { errorBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Tests the states of an e-mail in the queue, and which process may change them. */

interface Row {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
}

const mail = withOpened(() => MailServer.start());
const { app, admin, world } = withPaymentWorld({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  shared: true,
  check: 'none',
});
afterEach(() => {
  mail.mode = 'accept';
});

const database = () => app.app.get(Database, { strict: false });

/** Creates a paid card donation with a queued receipt. */
async function paid(to: string): Promise<string> {
  return (await world.paid('card', 1000, to)).donationId;
}

async function emailOf(donationId: string): Promise<Row> {
  const [row] = await sql<Row>(app, 'SELECT id, state, attempts FROM email WHERE donation_id = $1', [
    donationId,
  ]);
  if (!row) throw new Error('the queue contains no e-mail');
  return row;
}

async function inState(donationId: string, state: string): Promise<Row> {
  await until(async () => (await emailOf(donationId)).state === state, `the e-mail ${state}`);
  return await emailOf(donationId);
}

const address = () => `ada-${newId()}@example.org`;

describe('an e-mail with a refused address', () => {
  it('tries an e-mail with a refused address once, lists it, and resends it only until it is sent', async () => {
    mail.mode = 550;
    const to = address();
    const donationId = await paid(to);
    const bounced = await inState(donationId, 'bounced');
    expect(bounced.attempts).toBe(1);
    expect(await world.reviewItems(donationId)).toEqual([expect.objectContaining({ kind: 'email_failed' })]);
    mail.mode = 'accept';
    await admin.post(`/emails/${bounced.id}/retry`).expect(202);
    await inState(donationId, 'sent');
    expect(await world.reviewItems(donationId)).toEqual([]);
    const { body } = await admin.post(`/emails/${bounced.id}/retry`).expect(409);
    expect(body).toEqual(errorBody(409, 'Conflict', 'EMAIL_SENT'));
    expect((await emailOf(donationId)).state).toBe('sent');
    expect(mail.to(to)).toHaveLength(1);
  });

  it('deletes a refused e-mail together with its donor', async () => {
    mail.mode = 550;
    const donationId = await paid(address());
    await inState(donationId, 'bounced');
    await app.app.get(EmailsService, { strict: false }).eraseOf(database(), [donationId]);
    expect(await sql(app, 'SELECT 1 FROM email WHERE donation_id = $1', [donationId])).toEqual([]);
  });
});

describe('an e-mail that a process has claimed', () => {
  it('does not change an e-mail that another process has claimed until the claim ends', async () => {
    mail.mode = 451;
    const to = address();
    const donationId = await paid(to);
    await until(() => Promise.resolve(mail.tries.includes(to)), 'the first try');
    // Marks the e-mail as if another process were sending it.
    await until(async () => {
      const claimed = await sql(
        app,
        `UPDATE email SET claimed_until = now() + interval '1 hour', next_attempt_at = now()
         WHERE donation_id = $1 AND claimed_until IS NULL RETURNING id`,
        [donationId],
      );
      return claimed.length > 0;
    }, 'the claim');
    mail.mode = 'accept';
    await new Promise((resolve) => setTimeout(resolve, 5 * FAST_MAIL.lookMs));
    expect(mail.to(to)).toEqual([]);
    await sql(app, `UPDATE email SET claimed_until = now() - interval '1 second' WHERE donation_id = $1`, [
      donationId,
    ]);
    await inState(donationId, 'sent');
    expect(mail.to(to)).toHaveLength(1);
  });

  it('a process whose claim has ended cannot mark the e-mail', async () => {
    mail.mode = 550;
    const donationId = await paid(address());
    const { id } = await inState(donationId, 'bounced');
    await sql(app, `UPDATE email SET claimed_until = now() + interval '1 hour' WHERE id = $1`, [id]);
    const ended = new Date(Date.now() - 60_000);
    expect(await database().query(MARK_SENT, [id, ended])).toEqual([]);
    expect((await emailOf(donationId)).state).toBe('bounced');
  });
});

describe('resent receipts', () => {
  it('a resent receipt has another message id, so that no mailbox drops it as a duplicate', async () => {
    const to = address();
    const donationId = await paid(to);
    await inState(donationId, 'sent');
    await admin.post(`/donations/${donationId}/email-receipt`).expect(202);
    await until(() => Promise.resolve(mail.to(to).length === 2), 'the second e-mail');
    const ids = mail.to(to).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(2);
  });
});
