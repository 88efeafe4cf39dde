import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import type { AppConfig } from '../../src/config/app-config.js';
import type { Statement } from '../../src/data/database.js';
import { ENABLE, LOCK_ENDPOINT, REPLAY, SEND_SKIPPED } from '../../src/webhooks/webhooks.sql.js';
import { newSecret } from '../../src/webhooks/sending/signature.js';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { sql } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { accepts, answers, hangs, resets, Webhook, WebhookReceiver } from '../support/webhook-receiver.js';

/** The size of the acceptance takes about two and a half minutes. */
const KILLS = Number(process.env.KILLS ?? 50);
const MESSAGES = Number(process.env.WEBHOOKS ?? 20_000);
/** Share of the requests that meet each way to fail. */
const TROUBLE = 0.004;
const EVENT = '10000000-0000-7000-8000-000000000001';
const database = withOpened(() => createTestDatabase());
const receiver = withOpened(() => WebhookReceiver.start());
const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  sql<Row>({ databaseUrl: database.url }, text, values);

async function start(): Promise<ChildProcess> {
  const child = fork(resolve('test/webhooks/webhook-process.mjs'), [database.url, TEST_SECRETS.PIN_SECRET]);
  await once(child, 'message');
  return child;
}

/** Enables a disabled endpoint with its missed messages, and sends failed ones again, as an administrator does. */
async function administer(id: string): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const run = async ({ text }: Statement, values: unknown[]) =>
    (await client.query(text, values)).rowCount ?? 0;
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ status: string }>(LOCK_ENDPOINT.text, [id]);
    if (rows[0]?.status === 'disabled') {
      while ((await run(SEND_SKIPPED, [id, '0', 10_000])) > 0);
      await run(ENABLE, [id]);
    }
    await run(REPLAY, [id, '-infinity', 'infinity', ['failed'], '0', 10_000]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** The receiver was away for three days: waits are over, and the endpoint fails for that long. */
async function threeDaysLater(): Promise<void> {
  await ask(
    `UPDATE webhook_message SET next_at = next_at - interval '3 days', created_at = created_at - interval '3 days'`,
  );
  await ask(
    `UPDATE webhook_endpoint SET failing_since = failing_since - interval '3 days', stopped_at = stopped_at - interval '3 days'`,
  );
}

it(
  'every message arrives with one id and a valid signature while the sender is killed and the receiver fails or is away',
  async () => {
    const endpoint = newId();
    const secret = newSecret();
    const sealed = new KeyRing({ pinSecret: TEST_SECRETS.PIN_SECRET } as AppConfig).seal(
      'webhook-seal',
      secret,
    );
    await ask(
      `INSERT INTO webhook_endpoint (id, url, topics, event_ids, payload, secret_sealed) VALUES ($1, $2, '{}', '{}', 'thin', $3)`,
      [endpoint, receiver.url, sealed],
    );
    await ask(
      `INSERT INTO event (id, slug, name, goal_amount, currency, status) VALUES ($1, 'gala', 'Gala', 1, 'eur', 'active')`,
      [EVENT],
    );
    const troubles = {
      '500': answers(500),
      reset: resets,
      hang: hangs,
      redirect: answers(302, { location: receiver.url }),
      '10 MB': answers(200, {}, 'x'.repeat(10_000_000)),
    };
    const met = new Map<string, number>();
    const meet = (name: string) => met.set(name, (met.get(name) ?? 0) + 1);
    let isAway = false;
    let isGone = false;
    receiver.behaviour = (response, request) => {
      if (isGone && !isAway) {
        isGone = false;
        meet('410');
        answers(410)(response, request);
        return;
      }
      const [trouble] = Object.entries(troubles).filter(() => Math.random() < TROUBLE);
      if (trouble) meet(trouble[0]);
      (isAway ? answers(503) : (trouble?.[1] ?? accepts))(response, request);
    };
    // The library refuses messages that are older than five minutes.
    const verifier = new Webhook(secret);
    let verified = 0;
    const verifyNew = () => {
      for (; verified < receiver.received.length; verified++) {
        const { text, headers } = receiver.received[verified] ?? { text: '', headers: {} };
        verifier.verify(text, headers);
      }
    };
    const processes = [await start(), await start()];
    await until(async () => (await ask('SELECT FROM follower')).length === 1, 'the follower');
    await insertManyDonations({ databaseUrl: database.url }, EVENT, MESSAGES);
    await ask(
      `INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM donation`,
    );
    const [leaves, returns] = [Math.floor(KILLS / 3), Math.floor((2 * KILLS) / 3)];
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill === leaves) isAway = true;
      if (kill === returns) {
        await threeDaysLater();
        await until(
          async () => (await ask(`SELECT FROM webhook_endpoint WHERE status = 'disabled'`)).length === 1,
          'the stop of the endpoint',
          { timeoutMs: 60_000 },
        );
        meet('three days');
        isAway = false;
      }
      if (kill % 5 === 0) isGone = true;
      await pause(Math.random() * 500);
      const [leader] = processes.splice(0, 1);
      leader?.kill('SIGKILL');
      processes.push(await start());
      if (!isAway) await administer(endpoint);
      verifyNew();
    }
    await until(
      async () => {
        verifyNew();
        await administer(endpoint);
        return (await ask(`SELECT FROM webhook_message WHERE state = 'delivered'`)).length === MESSAGES;
      },
      'all messages',
      { timeoutMs: MESSAGES * 30, everyMs: 500 },
    );
    for (const child of processes) child.kill('SIGKILL');
    verifyNew();
    const donationsById = new Map(receiver.received.map(({ id, body }) => [id, body.data.id]));
    expect(donationsById.size).toBe(MESSAGES);
    expect(new Set(donationsById.values()).size).toBe(MESSAGES);
    expect(await ask('SELECT FROM webhook_message')).toHaveLength(MESSAGES);
    expect([...met.keys()].sort()).toEqual([...Object.keys(troubles), '410', 'three days'].sort());
  },
  20 * 60_000,
);
