import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule } from '../support/pledges.js';
import { CARDS, cardEvening, digestOfText } from '../support/saved-cards.js';
import { withAdmin, withEvent, withMade, withOpened, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const evening = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter Gala', date: new Date().toISOString() },
  each: true,
});
const { app, admin, event } = evening;
const second = withAdmin(app);
const maria = withStaff(evening, { each: true });
const cards = withMade(() => cardEvening(app, admin, { id: event.id, slug: event.slug }), beforeEach);

const statusOf = async (id: string) =>
  (
    await sql<{ status: string; paid_by: string | null }>(
      app,
      'SELECT status, paid_by FROM donation WHERE id = $1',
      [id],
    )
  )[0];
const cardOf = async (guestId: string) =>
  (
    await sql<Record<string, unknown>>(
      app,
      'SELECT * FROM saved_card WHERE guest_id = $1 ORDER BY created_at DESC LIMIT 1',
      [guestId],
    )
  )[0];
const takenFrom = (paddlePledge: string) =>
  app.sandbox.stripe.payments().filter(({ metadata }) => metadata.donationId === paddlePledge);
const settings = (ready: object) => admin.patch(`/events/${event.id}/settings`, { ready }).expect(200);

beforeAll(async () => {
  // Notices and e-mails about declined charges wait at night.
  pledgeSchedule(app).set(noon(0));
  await admin
    .patch('/settings/global', {
      organization: 'Haus am See',
      locales: { default: 'en', supported: ['en', 'de'] },
    })
    .expect(200);
});

describe('GET /guests/:id/card', () => {
  it('gives volunteers the address of the page, which is the same each time', async () => {
    const guest = await cards.newGuest();
    const { body } = await maria.get(`/guests/${guest.id}/card`).expect(200);
    expect(body).toMatchObject({ url: guest.url, hasCard: false });
    expect(guest.url).toContain(`/donate/${event.slug}/ready?guest=`);
  });

  it('refuses a guest without an own paddle, and an event whose time is over', async () => {
    const { body: alone } = await admin.post(`/events/${event.id}/guests`, { name: 'Mary' }).expect(201);
    const refused = await admin.get(`/guests/${(alone as { id: string }).id}/card`).expect(409);
    expect(refused.body).toMatchObject({ code: 'CARD_NEEDS_PADDLE' });
    const guest = await cards.newGuest();
    await admin.patch(`/events/${event.id}`, { date: '2020-01-01T18:00:00.000Z' }).expect(200);
    const over = await admin.get(`/guests/${guest.id}/card`).expect(409);
    expect(over.body).toMatchObject({ code: 'CARD_PERIOD_OVER' });
  });
});

describe('the page on which a guest saves a card', () => {
  it('shows who charges up to which amount and until when, and keeps the consent', async () => {
    const guest = await cards.newGuest();
    const { text } = await app.http.get(cards.pathOf(guest.url)).expect(200);
    const [, consent = ''] = /class="ready__consent"[^>]*>([^<]*)</.exec(text) ?? [];
    for (const words of ['Haus am See', 'Winter Gala', `paddle ${guest.paddle}`, '€5,000.00', '24 hours'])
      expect(consent).toContain(words);
    expect(await cards.save(guest)).toBe(true);
    expect(await cardOf(guest.id)).toMatchObject({
      state: 'ready',
      paddle: guest.paddle,
      limit_amount: '500000',
      currency: 'eur',
      brand: 'visa',
      last4: '4242',
      text_version: 'ready-2026-1',
      text_language: 'en',
      text_digest: Buffer.from(digestOfText(consent), 'hex'),
      agreed_at: expect.any(Date),
    });
    const after = await app.http.get(cards.pathOf(guest.url)).expect(200);
    expect(after.text).toContain('visa •••• 4242');
  });

  it('refuses a text that has changed since the guest read it', async () => {
    const guest = await cards.newGuest();
    const textDigest = await cards.digestOf(guest);
    await settings({ most: 100_000 });
    const refused = await cards.begin(guest, { textDigest });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'CARD_TEXT_CHANGED' });
  });

  it('asks for an e-mail address if the list has none, and keeps it for the pledges', async () => {
    const guest = await cards.newGuest({ email: null });
    expect((await cards.begin(guest)).body).toMatchObject({ code: 'CARD_NEEDS_EMAIL' });
    expect((await cards.begin(guest, { email: 'mary@example.org' })).status).toBe(201);
    const [row] = await sql(app, 'SELECT email FROM guest WHERE id = $1', [guest.id]);
    expect(row).toEqual({ email: 'mary@example.org' });
  });

  it('saves no declined card, and a second try of the guest succeeds', async () => {
    const guest = await cards.newGuest();
    expect(await cards.save(guest, '4000000000009995')).toBe(false);
    expect(await cards.save(guest)).toBe(true);
  });

  it('limits the tries of a guest, so that the page cannot test stolen cards', async () => {
    const guest = await cards.newGuest();
    for (let count = 0; count < 10; count += 1) expect((await cards.begin(guest)).status).toBe(201);
    expect((await cards.begin(guest)).status).toBe(429);
  });

  it('keeps a card that the browser did not report', async () => {
    const guest = await cards.newGuest();
    const { body } = await cards.begin(guest);
    app.sandbox.stripe.confirmSetup((body as { clientSecret: string }).clientSecret, { number: CARDS.pays });
    await sql(app, 'UPDATE saved_card SET next_try_at = now() WHERE guest_id = $1', [guest.id]);
    await cards.endings().run();
    expect(await cardOf(guest.id)).toMatchObject({ state: 'ready', last4: '4242' });
  });

  it('deletes the card at the provider when the guest asks, and refuses a wrong link', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const before = (await cardOf(guest.id))?.customer_id as string;
    await app.http
      .post(`/donate/${event.slug}/ready/remove`)
      .type('form')
      .send({ guest: guest.token })
      .expect(200);
    await until(async () => {
      await cards.endings().run();
      return (await cardOf(guest.id))?.state === 'ended';
    }, 'the end of the card');
    expect(app.sandbox.stripe.customers()).not.toContain(before);
    expect(await cardOf(guest.id)).toMatchObject({
      customer_id: null,
      method_id: null,
      last4: null,
      end_reason: 'guest',
    });
    await app.http.get(`/donate/${event.slug}/ready?guest=${guest.token.slice(0, -1)}`).expect(404);
  });

  it('repeats a delete that the provider did not answer', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'customers.delete',
      kind: 'error',
      status: 503,
      times: 0,
    });
    await app.http
      .post(`/donate/${event.slug}/ready/remove`)
      .type('form')
      .send({ guest: guest.token })
      .expect(200);
    await cards.endings().run();
    expect(await cardOf(guest.id)).toMatchObject({ state: 'ending' });
    app.sandbox.faults.clear();
    await sql(app, 'UPDATE saved_card SET next_try_at = now() WHERE guest_id = $1', [guest.id]);
    await cards.endings().run();
    expect(await cardOf(guest.id)).toMatchObject({ state: 'ended' });
  });
});

describe('charges of saved cards', () => {
  it('announces the charge, charges a day later, pays the pledge like a payment link, and sends the receipt', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    expect(await cards.ready()).toMatchObject({
      pledges: 1,
      total: 50_000,
      needsSecondAdmin: false,
      data: [{ id: pledge, obstacle: null, last4: '4242' }],
    });
    const open = await admin.get(`/pledges/open?eventId=${event.id}`).expect(200);
    expect(open.body).toMatchObject({ data: [{ id: pledge, cardState: 'ready' }] });
    expect(await cards.start()).toMatchObject({ state: 'announced', pledges: 1, total: 50_000 });
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'announced' });
    await cards.noticed();
    const notice = mail
      .to(guest.email)
      .find(({ subject }) => subject === 'Tomorrow we charge €500.00 to your card');
    expect(notice?.text).toContain('visa •••• 4242');
    await cards.charge();
    const { donation_id: donationId } = (await cards.stateOf(pledge)) ?? {};
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'paid' });
    expect(await statusOf(pledge)).toEqual({ status: 'CANCELLED', paid_by: donationId });
    expect(await statusOf(donationId ?? '')).toMatchObject({ status: 'COMPLETED' });
    expect(takenFrom(donationId ?? '')).toMatchObject([{ paid: 50_000 }]);
    await until(
      () => mail.to(guest.email).some(({ subject }) => subject?.includes('receipt')),
      'the receipt',
    );
    const receipt = mail.to(guest.email).find(({ subject }) => subject?.includes('receipt'));
    expect(receipt?.text).toContain('Please reply to this e-mail, and we will refund the charge.');
    const { body } = await admin.get(`/pledges/received?eventId=${event.id}`).expect(200);
    expect(body).toMatchObject({ data: [{ all: { share: 1 } }] });
    const batches = await admin.get(`/card-charges?eventId=${event.id}`).expect(200);
    expect(batches.body).toMatchObject({
      data: [{ state: 'done', charges: [{ state: 'paid', count: 1, sum: 50_000 }] }],
    });
    // The card is used up.
    await cards.endings().run();
    expect(await cardOf(guest.id)).toMatchObject({ state: 'ended', end_reason: 'used' });
  });

  it.each([
    ['asksOwner', 'authentication_required', 'Your bank asks you to confirm'],
    ['declines', 'generic_decline', 'because the bank declined it'],
  ] as const)('sends the link to pay if the card %s', async (kind, code, words) => {
    const guest = await cards.newGuest();
    await cards.save(guest, CARDS[kind]);
    const pledge = await cards.pledge(guest);
    await cards.start();
    await cards.noticed();
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'failed', code });
    expect(await statusOf(pledge)).toMatchObject({ status: 'PENDING' });
    const open = await admin.get(`/pledges/open?eventId=${event.id}`).expect(200);
    expect(open.body).toMatchObject({ data: [{ id: pledge, cardState: 'failed', cardCode: code }] });
    await until(() => mail.to(guest.email).some(({ text }) => text?.includes(words)), 'the link to pay');
    const [link = ''] =
      /http\S+\/donate\/\S+\?pledge=\S+/.exec(mail.to(guest.email).at(-1)?.text ?? '') ?? [];
    const metadata = { eventId: event.id, pledgeToken: new URL(link).searchParams.get('pledge') };
    await app.http.post('/donations/intent').send({ amount: 50_000, metadata }).expect(201);
    // The card is not charged a second time.
    expect(await cards.ready()).toMatchObject({ pledges: 0, data: [{ obstacle: 'failed' }] });
  });

  it('starts one batch for two admins and a double click', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    await cards.pledge(guest);
    const started = await Promise.all([
      cards.start(),
      cards.start(),
      cards.start(second),
      cards.start(second),
    ]);
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
  });

  it('needs another admin above the limit of the settings unless the settings need none, and announces nothing before', async () => {
    await settings({ confirmAbove: 40_000 });
    const guest = await cards.newGuest();
    await cards.save(guest);
    await cards.pledge(guest);
    const batch = await cards.start();
    expect(batch).toMatchObject({ state: 'waiting' });
    const own = await admin.post(`/card-charges/${batch.id}/confirm`).expect(409);
    expect(own.body).toMatchObject({ code: 'SECOND_ADMIN_NEEDED' });
    expect(mail.to(guest.email)).toHaveLength(0);
    const confirmed = await second.post(`/card-charges/${batch.id}/confirm`).expect(200);
    expect(confirmed.body).toMatchObject({ state: 'announced' });
    await second.post(`/card-charges/${batch.id}/confirm`).expect(200);
    await cards.noticed();
    expect(mail.to(guest.email)).toHaveLength(1);
    await admin.post(`/card-charges/${batch.id}/stop`).expect(200);
    // A deleted value is the default, so the second admin is needed again.
    for (const [secondAdmin, state] of [
      [false, 'announced'],
      [null, 'waiting'],
    ]) {
      await settings({ secondAdmin });
      const next = await cards.start();
      expect(next).toMatchObject({ state });
      await admin.post(`/card-charges/${next.id}/stop`).expect(200);
    }
  });

  it('refuses to start if other pledges are ready than the admin has seen', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    await cards.pledge(guest);
    const sent = { eventId: event.id, pledges: 1, total: 40_000 };
    const refused = await admin.post('/card-charges', sent).expect(409);
    expect(refused.body).toMatchObject({ code: 'CARD_CHARGES_CHANGED' });
    expect((await admin.get(`/card-charges?eventId=${event.id}`).expect(200)).body).toEqual({ data: [] });
  });

  it('stops the charges of a batch, and the pledges can be charged later', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    const batch = await cards.start();
    await cards.noticed();
    await admin.post(`/card-charges/${batch.id}/stop`).expect(200);
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'stopped', code: 'admin', donation_id: null });
    expect(await cards.start()).toMatchObject({ state: 'announced', pledges: 1 });
  });

  it('stops the charge with one click of the guest, and never charges this pledge by card again', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    await cards.start();
    await cards.noticed();
    const [link = ''] = /http\S+\/ready\/stop\?guest=\S+/.exec(mail.to(guest.email).at(-1)?.text ?? '') ?? [];
    await app.http.get(cards.pathOf(link)).expect(200);
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'announced' });
    await app.http
      .post(cards.pathOf(link))
      .type('form')
      .send({ 'List-Unsubscribe': 'One-Click' })
      .expect(200);
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'stopped', code: 'guest' });
    expect(await cards.ready()).toMatchObject({ pledges: 0, data: [{ obstacle: 'stopped' }] });
  });

  it('charges the new card if the guest changes the card after the notice', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest, CARDS.declines);
    const pledge = await cards.pledge(guest);
    await cards.start();
    await cards.noticed();
    await app.http.get(`${cards.pathOf(guest.url)}&change=1`).expect(200);
    const { body } = await app.http.post(`/donate/${event.slug}/ready`).send({
      guest: guest.token,
      textDigest: await cards.digestOf({ url: `${guest.url}&change=1` }),
      language: 'en',
    });
    app.sandbox.stripe.confirmSetup((body as { clientSecret: string }).clientSecret, { number: CARDS.pays });
    await app.http.post(`/donate/${event.slug}/ready/saved`).send({ guest: guest.token }).expect(200);
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'paid' });
  });

  it.each([
    ['another paddle', "UPDATE guest SET paddle = 'X9' WHERE id = $1", 'paddle'],
    ['a paddle in doubt', 'UPDATE guest SET contested_paddle = paddle WHERE id = $1', 'paddle'],
    [
      'the end date',
      "UPDATE saved_card SET valid_until = now() - interval '1 second' WHERE guest_id = $1",
      'card_over',
    ],
    [
      'the expiry of the card',
      "UPDATE saved_card SET expires_on = '2020-01-31' WHERE guest_id = $1",
      'card_expired',
    ],
    ['the limit', 'UPDATE saved_card SET limit_amount = 49999 WHERE guest_id = $1', 'limit'],
    [
      'the time of the pledge',
      "UPDATE saved_card SET pledged_until = now() - interval '1 day' WHERE guest_id = $1",
      'later_pledge',
    ],
    ['another amount', 'UPDATE donation SET amount = 60000 WHERE guest_id = $1', 'amount_changed'],
    [
      'a notice of two days before',
      "UPDATE email SET sent_at = now() - interval '49 hours' WHERE id IN (SELECT email_id FROM card_charge charge JOIN saved_card card ON card.id = charge.card_id WHERE card.guest_id = $1)",
      'notice_old',
    ],
  ])('checks at the moment of the charge: %s', async (_, change, code) => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    await cards.start();
    await cards.noticed();
    await sql(app, change, [guest.id]);
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'skipped', code, donation_id: null });
    expect(await statusOf(pledge)).toMatchObject({ status: 'PENDING' });
  });

  it('does not charge a pledge that was withdrawn or paid in the meantime', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const [undone, fulfilled] = [await cards.pledge(guest), await cards.pledge(guest)];
    await cards.start();
    await cards.noticed();
    await admin.post(`/donations/${undone}/undo`).expect(200);
    await admin.post(`/donations/${fulfilled}/fulfil`, { type: 'cash' }).expect(200);
    await cards.charge();
    for (const pledge of [undone, fulfilled])
      expect(await cards.stateOf(pledge)).toMatchObject({ state: 'skipped', code: 'not_open' });
  });

  it('never charges more than the guest agreed to, over all pledges', async () => {
    await settings({ most: 100_000 });
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledges = [await cards.pledge(guest), await cards.pledge(guest), await cards.pledge(guest)];
    expect(await cards.ready()).toMatchObject({ pledges: 2, total: 100_000 });
    await cards.start();
    await cards.noticed();
    await cards.charge();
    expect(await Promise.all(pledges.slice(0, 2).map(cards.stateOf))).toMatchObject([
      { state: 'paid' },
      { state: 'paid' },
    ]);
    expect(await cards.stateOf(pledges[2] ?? '')).toBeUndefined();
    expect(await cards.ready()).toMatchObject({ pledges: 0, data: [{ obstacle: 'limit' }] });
  });

  it('cancels a payment link that is open in a browser before it charges the card', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    const { body: link } = await admin.post(`/donations/${pledge}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const sent = { amount: 50_000, metadata: { eventId: event.id, pledgeToken } };
    const { body: intent } = await app.http.post('/donations/intent').send(sent).expect(201);
    await cards.start();
    await cards.noticed();
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'paid' });
    const { clientSecret } = intent as { clientSecret: string };
    expect(() => app.sandbox.stripe.pay(clientSecret)).toThrow();
    expect(app.sandbox.stripe.intent(clientSecret).status).toBe('canceled');
  });

  it('waits while the donor is paying by link, and leaves a paid pledge out', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    const { body: link } = await admin.post(`/donations/${pledge}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const sent = { amount: 50_000, metadata: { eventId: event.id, pledgeToken } };
    const { body: intent } = await app.http.post('/donations/intent').send(sent).expect(201);
    const { clientSecret } = intent as { clientSecret: string };
    app.sandbox.stripe.process(clientSecret);
    await cards.start();
    await cards.noticed();
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'announced', donation_id: null });
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    await sql(app, 'UPDATE card_charge SET next_try_at = now() WHERE pledge_id = $1', [pledge]);
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'skipped', code: 'not_open' });
  });

  it('asks for a charge whose answer was lost, refuses the payment link meanwhile, and takes the money once', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    const { body: link } = await admin.post(`/donations/${pledge}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const sent = { amount: 50_000, metadata: { eventId: event.id, pledgeToken } };
    await cards.start();
    await cards.noticed();
    app.sandbox.stripe.deliveries.isEnabled = false;
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.create',
      kind: 'reset',
      after: true,
      times: 0,
    });
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.list',
      kind: 'error',
      status: 503,
      times: 0,
    });
    // The reading of missed events would find the payment too.
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'events.list',
      kind: 'error',
      status: 503,
      times: 0,
    });
    await cards.charge();
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'charging' });
    const refused = await app.http.post('/donations/intent').send(sent).expect(409);
    expect(refused.body).toMatchObject({ code: 'PLEDGE_BEING_CHARGED' });
    app.sandbox.faults.clear();
    await sql(app, 'UPDATE card_charge SET next_try_at = now() WHERE pledge_id = $1', [pledge]);
    await cards.charge();
    const state = await cards.stateOf(pledge);
    expect(state).toMatchObject({ state: 'paid' });
    expect(takenFrom(state?.donation_id ?? '')).toMatchObject([{ paid: 50_000 }]);
    app.sandbox.stripe.deliveries.isEnabled = true;
  });

  it('deletes the card at the provider after the donor was erased, and charges nothing', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const pledge = await cards.pledge(guest);
    await cards.start();
    await cards.noticed();
    const { body } = await admin.get(`/donors?search=${encodeURIComponent(guest.email)}`).expect(200);
    const { key } = (body as { data: { key: string }[] }).data[0] ?? { key: '' };
    const { body: exported } = await admin.get(`/donors/${key}/export`).expect(200);
    expect(exported).toMatchObject({
      savedCards: [{ paddle: guest.paddle, last4: '4242', textVersion: 'ready-2026-1' }],
      cardCharges: [{ pledgeId: pledge, amount: 50_000, state: 'announced' }],
    });
    const [row] = await sql<{ id: string; customer_id: string }>(
      app,
      'SELECT id, customer_id FROM saved_card WHERE guest_id = $1',
      [guest.id],
    );
    await admin.delete(`/donors/${key}`).expect(200);
    await cards.charge();
    await cards.endings().run();
    expect(app.sandbox.stripe.customers()).not.toContain(row?.customer_id);
    expect(await cards.stateOf(pledge)).toMatchObject({ state: 'skipped', donation_id: null });
    const [left] = await sql(app, 'SELECT last4, customer_id, guest_id FROM saved_card WHERE id = $1', [
      row?.id,
    ]);
    expect(left).toEqual({ last4: null, customer_id: null, guest_id: null });
  });

  it('deletes the card at the provider when the guest is deleted', async () => {
    const guest = await cards.newGuest();
    await cards.save(guest);
    const customer = (await cardOf(guest.id))?.customer_id as string;
    await admin.delete(`/guests/${guest.id}`).expect(200);
    await cards.endings().run();
    expect(app.sandbox.stripe.customers()).not.toContain(customer);
    expect(await sql(app, 'SELECT 1 FROM saved_card WHERE customer_id = $1', [customer])).toHaveLength(0);
  });
});
