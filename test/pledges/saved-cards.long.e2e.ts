import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CardCharges } from '../../src/pledges/cards/card-charges.service.js';
import { ChargePace } from '../../src/pledges/cards/charge-pace.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { newId } from '../../src/common/crypto/ids.js';
import { CrashingService } from '../crash/crashing-service.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule, zoneAt } from '../support/pledges.js';
import { CARDS, cardEvening } from '../support/saved-cards.js';
import { withAdmin, withEvent, withMade, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** 12 % of the banks ask for the owner of the card, and 5 % decline. */
const numberOf = (index: number): string =>
  index % 25 < 3 ? CARDS.asksOwner : index % 20 === 19 ? CARDS.declines : CARDS.pays;
const AMOUNT = 5_000;

/** Does the work for 8 at a time. */
async function inGroups<One, Result>(
  all: readonly One[],
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < all.length; start += 8)
    results.push(...(await Promise.all(all.slice(start, start + 8).map(work))));
  return results;
}

interface Charged {
  readonly pledge_id: string;
  readonly state: string;
  readonly donation_id: string | null;
  readonly status: string | null;
}
const CHARGED = `SELECT charge.pledge_id, charge.state, charge.donation_id, donation.status FROM card_charge charge
  LEFT JOIN donation ON donation.id = charge.donation_id`;

describe('many saved cards', () => {
  // `CARDS=1000` plays a large gala. Fewer cards save time in CI.
  const GUESTS = Number(process.env.CARDS ?? 300);
  const mail = withOpened(() => MailServer.start());
  const evening = withEvent({
    start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
    fields: { name: 'Winter Gala', date: new Date().toISOString() },
  });
  const { app, admin, event } = evening;
  const second = withAdmin(app);
  const cards = withMade(() => cardEvening(app, admin, { id: event.id, slug: event.slug }), beforeEach);

  /** Saves the cards at the provider as the page does, and writes the rows at once. */
  const saveAll = async () => {
    const provider = app.app.get(PaymentProviders, { strict: false }).named('stripe');
    const rows = await inGroups(
      Array.from({ length: GUESTS }, (_, index) => index),
      async (index) => {
        const id = newId();
        const opened = await provider.openCard?.(id);
        if (!opened) throw new Error('The provider must save cards');
        const { stripe } = app.sandbox;
        const setup = stripe.confirmSetup(opened.setupId, { number: numberOf(index) });
        if (setup.status === 'requires_action') stripe.authenticateSetup(opened.setupId);
        const method = stripe.setup(opened.setupId).payment_method;
        return { id, guest: newId(), paddle: String(index + 1), customer: opened.customerId, method };
      },
    );
    await sql(
      app,
      `INSERT INTO guest (id, event_id, name, email, paddle) SELECT g, $1::uuid, 'Guest ' || p, 'guest-' || p || '@example.org', p
        FROM unnest($2::uuid[], $3::text[]) AS guest (g, p)`,
      [event.id, rows.map(({ guest }) => guest), rows.map(({ paddle }) => paddle)],
    );
    await sql(
      app,
      `INSERT INTO saved_card (id, event_id, guest_id, state, paddle, limit_amount, currency, pledged_until, valid_until, text_digest,
          text_version, text_language, agreed_at, provider, customer_id, method_id, brand, last4, expires_on)
        SELECT c, $1::uuid, g, 'ready', p, 500000, 'eur', now() + interval '1 day', now() + interval '14 days', '', 'test', 'en', now(),
          'stripe', customer, method, 'visa', '4242', '2034-12-31'
        FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[]) AS card (c, g, p, customer, method)`,
      [
        event.id,
        rows.map(({ id }) => id),
        rows.map(({ guest }) => guest),
        rows.map(({ paddle }) => paddle),
        rows.map(({ customer }) => customer),
        rows.map(({ method }) => method),
      ],
    );
    await inGroups(rows, async ({ paddle }) => {
      const body = { type: 'pledge', amount: AMOUNT, eventId: event.id, paddle };
      await admin.post('/donations', body).set('Idempotency-Key', randomUUID()).expect(201);
    });
  };

  it('are charged at most once each, although answers are lost and two processes work at the same time', async () => {
    pledgeSchedule(app).set(noon(0));
    await admin.patch(`/events/${event.id}/settings`, { ready: { confirmAbove: 100_000_000 } }).expect(200);
    app.app.get(ChargePace, { strict: false }).betweenMs = 0;
    app.sandbox.stripe.deliveries.isEnabled = false;
    await saveAll();
    app.sandbox.stripe.deliveries.isEnabled = true;
    const batches = await Promise.all([cards.start(), cards.start(), cards.start(second)]);
    expect(new Set(batches.map(({ id }) => id)).size).toBe(1);
    expect(batches[0]).toMatchObject({ state: 'announced', pledges: GUESTS, total: GUESTS * AMOUNT });
    // The notices of all guests are not this test's subject, so they count as sent a day before.
    await sql(
      app,
      "UPDATE email SET state = 'sent', sent_at = now() - interval '25 hours' WHERE kind = 'charge_notice'",
    );
    for (const skip of [40, 90, 140, 190])
      app.sandbox.faults.add({
        provider: 'stripe',
        operation: 'payment_intents.create',
        kind: 'reset',
        after: true,
        skip,
      });
    app.sandbox.faults.add({ provider: 'stripe', operation: 'webhook', kind: 'webhook_twice', times: 0 });
    const begun = performance.now();
    // Two workers without the lock of the instances, as after a lost database connection.
    const charges = app.app.get(CardCharges, { strict: false });
    await until(
      async () => {
        await Promise.all([charges.work(), charges.work()]);
        await sql(app, "UPDATE card_charge SET next_try_at = now() WHERE state IN ('announced', 'charging')");
        return (
          (await sql(app, "SELECT 1 FROM card_charge WHERE state IN ('announced', 'charging')")).length === 0
        );
      },
      'all charges',
      { timeoutMs: 240_000 },
    );
    process.stderr.write(`${GUESTS} charges in ${Math.round(performance.now() - begun)} ms\n`);
    await app.sandbox.settled(60_000);
    await expectEachChargedOnce(app, event.id, GUESTS);
  }, 400_000);
});

describe('saved cards and a server that is killed', () => {
  const GUESTS = 50;
  let mail: MailServer;
  let service: CrashingService;

  beforeAll(async () => {
    mail = await MailServer.start();
    service = await CrashingService.start(mail.environment);
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await mail.stop();
  });

  it('are charged at most once each, whichever step the process is killed in', async () => {
    const { body: event } = await service.call('POST', '/events', {
      name: 'Gala',
      slug: `gala-${newId()}`,
      goalAmount: 1_000_000,
      date: new Date().toISOString(),
    });
    const eventId = event.id as string;
    await service.call('PATCH', `/events/${eventId}/settings`, { timezone: zoneAt(12) });
    for (let index = 0; index < GUESTS; index += 1) await saveCard(eventId, event.slug as string, index);
    const ready = await service.call('GET', `/card-charges/ready?eventId=${eventId}`);
    const sent = { eventId, pledges: ready.body.pledges, total: ready.body.total };
    const { email } = await createAdmin(service);
    const login = await service.call('POST', '/auth/login', { email, password: ADMIN_PASSWORD });
    const other = { authorization: `Bearer ${login.body.accessToken as string}` };
    const started = await Promise.all([
      service.call('POST', '/card-charges', sent),
      service.call('POST', '/card-charges', sent, other),
    ]);
    expect(new Set(started.map(({ body }) => body.id)).size).toBe(1);
    await until(
      async () =>
        (await sql(service, "SELECT 1 FROM email WHERE kind = 'charge_notice' AND state = 'sent'")).length ===
        GUESTS,
      'the notices',
      { timeoutMs: 60_000 },
    );
    await sql(
      service,
      "UPDATE email SET sent_at = sent_at - interval '25 hours' WHERE kind = 'charge_notice'",
    );
    for (const statement of [
      'card_charge_claim',
      'card_charge_try',
      'provider_request_keep',
      'card_charge_settle',
    ]) {
      await service.tap.holdBefore({ statement });
      await crash();
    }
    // The card is charged, and its answer is lost together with the process.
    await service.strike({
      provider: 'stripe',
      operation: 'payment_intents.create',
      kind: 'hang',
      after: true,
    });
    await crash();
    await until(
      async () => {
        await sql(service, "UPDATE card_charge SET next_try_at = now() WHERE state = 'charging'");
        return (
          (await sql(service, "SELECT 1 FROM card_charge WHERE state IN ('announced', 'charging')"))
            .length === 0
        );
      },
      'all charges',
      { timeoutMs: 120_000 },
    );
    await service.sandbox.stripe.deliveries.flush('shuffled');
    await expectEachChargedOnce(service, eventId, GUESTS);
  }, 400_000);

  const crash = async () => {
    await service.crash();
    service.tap.breakHeld();
  };

  const saveCard = async (eventId: string, slug: string, index: number) => {
    const paddle = String(index + 1);
    const fields = { name: `Guest ${paddle}`, email: `guest-${paddle}@example.org`, paddle };
    const { body: guest } = await service.call('POST', `/events/${eventId}/guests`, fields);
    const { body: link } = await service.call('GET', `/guests/${guest.id as string}/card`);
    const url = new URL(link.url as string);
    const page = await (await fetch(service.address + url.pathname + url.search)).text();
    const [, textDigest] =
      /textDigest&#34;:&#34;([0-9a-f]{64})|textDigest&quot;:&quot;([0-9a-f]{64})/
        .exec(page)
        ?.filter(Boolean) ?? [];
    const token = url.searchParams.get('guest');
    const { body: begun } = await service.call('POST', `/donate/${slug}/ready`, {
      guest: token,
      textDigest,
      language: 'en',
    });
    const { stripe } = service.sandbox;
    const secret = begun.clientSecret as string;
    const setup = stripe.confirmSetup(secret, { number: numberOf(index) });
    if (setup.status === 'requires_action') stripe.authenticateSetup(secret);
    expect((await service.call('POST', `/donate/${slug}/ready/saved`, { guest: token })).body).toEqual({
      saved: true,
    });
    const pledge = { type: 'pledge', amount: AMOUNT, eventId, paddle };
    await service.call('POST', '/donations', pledge, { 'Idempotency-Key': randomUUID() });
  };
});

/** Checks that each pledge was charged at most once, and that the money at the provider is the money in the books. */
async function expectEachChargedOnce(
  app: Pick<CrashingService, 'databaseUrl' | 'sandbox'>,
  eventId: string,
  guests: number,
): Promise<void> {
  const charges = await sql<Charged>(app, CHARGED);
  expect(charges).toHaveLength(guests);
  const expected = { paid: 0, failed: 0 };
  for (let index = 0; index < guests; index += 1)
    expected[numberOf(index) === CARDS.pays ? 'paid' : 'failed'] += 1;
  const count = (state: string) => charges.filter((one) => one.state === state).length;
  expect({ paid: count('paid'), failed: count('failed') }).toEqual(expected);
  const pledgeOf = new Map(charges.map((one) => [one.donation_id, one.pledge_id]));
  const payments = app.sandbox.stripe.payments();
  const paidFor = payments
    .filter(({ paid }) => paid > 0)
    .map(({ metadata }) => pledgeOf.get(metadata.donationId ?? ''));
  expect(paidFor).not.toContain(undefined);
  expect(new Set(paidFor).size).toBe(paidFor.length);
  // Each pledge has one payment at the provider, also a declined one.
  expect(payments).toHaveLength(guests);
  const [books] = await sql<{ sum: string; open: string; total: string }>(
    app,
    `SELECT (SELECT sum(amount) FROM donation WHERE event_id = $1 AND status = 'COMPLETED')::text AS sum,
      (SELECT count(*) FROM donation WHERE event_id = $1 AND type = 'pledge' AND status = 'PENDING')::text AS open,
      (SELECT sum(total_raised) FROM event_total WHERE event_id = $1)::text AS total`,
    [eventId],
  );
  const held = app.sandbox.stripe.netHeld('eur');
  expect(held).toBe(expected.paid * AMOUNT);
  expect(books).toEqual({ sum: String(held), open: String(expected.failed), total: String(held) });
}
