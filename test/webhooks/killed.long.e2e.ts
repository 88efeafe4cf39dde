import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import type { AppConfig } from '../../src/config/app-config.js';
import { newSecret } from '../../src/webhooks/sending/signature.js';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { sql } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { accepts, answers, hangs, resets, Webhook, WebhookReceiver } from '../support/webhook-receiver.js';

/** `KILLS=50 WEBHOOKS=20000` is the size of the acceptance. */
const KILLS = Number(process.env.KILLS ?? 8);
const MESSAGES = Number(process.env.WEBHOOKS ?? 2_000);
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

it(
  'every message arrives with one id and a valid signature while the sender is killed and the receiver fails',
  async () => {
    const secret = newSecret();
    const sealed = new KeyRing({ pinSecret: TEST_SECRETS.PIN_SECRET } as AppConfig).seal(
      'webhook-seal',
      secret,
    );
    await ask(
      `INSERT INTO webhook_endpoint (id, url, topics, event_ids, payload, secret_sealed) VALUES ($1, $2, '{}', '{}', 'thin', $3)`,
      [newId(), receiver.url, sealed],
    );
    await ask(
      `INSERT INTO event (id, slug, name, goal_amount, currency, status) VALUES ($1, 'gala', 'Gala', 1, 'eur', 'active')`,
      [EVENT],
    );
    receiver.behaviour = (response, request) => {
      const [fails] = [answers(500), resets, hangs].filter(() => Math.random() < 0.01);
      (fails ?? accepts)(response, request);
    };
    const processes = [await start(), await start()];
    await until(async () => (await ask('SELECT FROM follower')).length === 1, 'the follower');
    await insertManyDonations({ databaseUrl: database.url }, EVENT, MESSAGES);
    await ask(
      `INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM donation`,
    );
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(Math.random() * 500);
      const [leader] = processes.splice(0, 1);
      leader?.kill('SIGKILL');
      processes.push(await start());
    }
    await until(
      async () => (await ask(`SELECT FROM webhook_message WHERE state = 'delivered'`)).length === MESSAGES,
      'all messages',
      { timeoutMs: 45_000, everyMs: 200 },
    );
    for (const child of processes) child.kill('SIGKILL');
    const donationsById = new Map(receiver.received.map(({ id, body }) => [id, body.data.id]));
    expect(donationsById.size).toBe(MESSAGES);
    expect(new Set(donationsById.values()).size).toBe(MESSAGES);
    const verifier = new Webhook(secret);
    for (const { text, headers } of receiver.received) verifier.verify(text, headers);
    expect(await ask('SELECT FROM webhook_message')).toHaveLength(MESSAGES);
  },
  10 * 60_000,
);
