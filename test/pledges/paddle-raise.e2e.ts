import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { coveringFee } from '../../src/payments/intents/covered-fee.js';
import { as, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withStaff } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const evening = withEvent({
  start: () => startPaymentsApp({ PUBLIC_URL: 'https://give.example.org' }),
  each: true,
});
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });

interface Round {
  id: string;
  status: string;
  count: number;
  sum: number;
}
type Pledge = DonationBody & { roundId: string; paddle: string; paidBy: string | null };

const call = async (fields: object = {}) =>
  (await staff.post('/pledge-rounds', { amount: 50_000, name: 'A new minibus', ...fields }).expect(201))
    .body as Round;
const pledge = async (roundId: string, paddle: string, fields: object = {}) =>
  (
    await staff
      .post('/donations', { type: 'pledge', amount: 50_000, paddle, roundId, ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as Pledge;
const roundNow = async (id: string) =>
  ((await admin.get(`/pledge-rounds?eventId=${event.id}`).expect(200)).body as { data: Round[] }).data.find(
    (one) => one.id === id,
  );
const seen = async (id: string) =>
  ((await admin.get('/donations?limit=200').expect(200)).body as { data: Pledge[] }).data.find(
    (one) => one.id === id,
  );
const reasonsOf = async (id: string) =>
  ((await admin.get(`/donations/${id}/history`).expect(200)).body as { reason: string | null }[]).map(
    ({ reason }) => reason,
  );

describe('paddle raise round', () => {
  it('a round counts its pledges without retracted pledges', async () => {
    const round = await call();
    expect(round).toEqual({
      id: expect.any(String),
      eventId: event.id,
      amount: 50_000,
      currency: 'eur',
      name: 'A new minibus',
      status: 'open',
      count: 0,
      sum: 0,
      createdAt: expect.any(String),
      closedAt: null,
    });
    const pledges = await Promise.all(
      Array.from({ length: 30 }, (_, i) => pledge(round.id, String(100 + i))),
    );
    expect(pledges[7]).toMatchObject({ roundId: round.id, paddle: '107', status: 'PENDING' });
    await staff.post(`/donations/${pledges[29]?.id ?? ''}/undo`).expect(200);
    expect(await roundNow(round.id)).toMatchObject({ count: 29, sum: 29 * 50_000 });
    // The totals contain no pledges.
    const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(body).toMatchObject({ totalRaised: 0 });
  });

  it('walls receive the start, every pledge, every retraction and the end in one complete feed', async () => {
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const heard = () => wall.received.filter(({ topic }) => topic === 'pledge.round').map(({ body }) => body);
    const round = await call();
    const first = await pledge(round.id, '1');
    await pledge(round.id, '2');
    await staff.post('/donations', { type: 'cash', amount: 100 }).expect(201);
    await staff.post(`/donations/${first.id}/undo`).expect(200);
    expect((await staff.post(`/pledge-rounds/${round.id}/close`).expect(200)).body).toMatchObject({
      status: 'closed',
      count: 1,
    });
    await wall.until(() => heard().some(({ status }) => status === 'closed'));
    expect(heard().at(-1)).toEqual({
      roundId: round.id,
      eventId: event.id,
      amount: 50_000,
      currency: 'eur',
      name: 'A new minibus',
      count: 1,
      sum: 50_000,
      status: 'closed',
      sequence: expect.any(Number),
    });
    const places = wall.received
      .filter(({ topic }) => topic !== 'event.totals')
      .map(({ body }) => body.sequence);
    expect(places).toEqual(places.map((_, i) => i + 1));
    expect(JSON.stringify(heard())).not.toContain('paddle');
    wall.close();
  });

  it('a round cannot start at a draft or archived event', async () => {
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    const archived = await createEvent(app, admin.token);
    await admin.patch(`/events/${archived.id}`, { status: 'archived' }).expect(200);
    for (const other of [draft, archived]) {
      const { body } = await admin.post('/pledge-rounds', { amount: 100, eventId: other.id }).expect(409);
      expect(body).toMatchObject({ code: 'EVENT_TAKES_NO_DONATIONS' });
    }
  });

  it('walls show a lower sum when a pledge is retracted during the round', async () => {
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const counts = () =>
      wall.received.filter(({ topic }) => topic === 'pledge.round').map(({ body }) => body.count);
    const round = await call();
    const first = await pledge(round.id, '1');
    await pledge(round.id, '2');
    await wall.until(() => counts().at(-1) === 2);
    await staff.post(`/donations/${first.id}/undo`).expect(200);
    await wall.until(() => counts().at(-1) === 1);
    wall.close();
  });

  it('a wall that was away receives the missed pledges, and an open round in its snapshot', async () => {
    const round = await call();
    await pledge(round.id, '1');
    const wall = await WallClient.connect(app.url);
    const sees = async () =>
      (await wall.join({ eventId: event.id, snapshot: true })) as {
        sequence?: number;
        snapshot?: object;
      };
    await wall.until(() => true);
    for (let tries = 0; tries < 50; tries++) {
      const { sequence } = await wall.join({ eventId: event.id, since: 0 });
      if (sequence === 2) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const replayed = wall.received.filter(({ topic }) => topic === 'pledge.round');
    expect(replayed.at(-1)?.body).toMatchObject({ roundId: round.id, count: 1, sequence: 2 });
    expect((await sees()).snapshot).toMatchObject({ pledgeRound: { roundId: round.id, count: 1 } });
    await staff.post(`/pledge-rounds/${round.id}/close`).expect(200);
    // A joining wall may get a numbered message a moment before its broadcast. Other walls get the message with the broadcast.
    let last = await sees();
    for (let tries = 0; tries < 50 && last.sequence !== 3; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      last = await sees();
    }
    expect(last).toMatchObject({
      sequence: 3,
      snapshot: expect.not.objectContaining({ pledgeRound: expect.anything() }),
    });
    wall.close();
  });

  it('after an event is archived, connected walls get only the end of its round', async () => {
    const round = await call();
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const heard = () => wall.received.filter(({ topic }) => topic === 'pledge.round').map(({ body }) => body);
    await pledge(round.id, '7');
    await wall.until(() => heard().some(({ sum }) => sum === 50_000));
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    await staff.post(`/pledge-rounds/${round.id}/close`, {}).expect(200);
    await wall.until(() => heard().some(({ status }) => status === 'closed'));
    const { sequence: _, ...told } = heard().at(-1) ?? {};
    expect(told).toEqual({
      ...{ roundId: round.id, eventId: event.id, amount: 50_000, currency: 'eur' },
      ...{ count: 0, sum: 0, status: 'closed' },
    });
    wall.close();
  });

  it('a round accepts late pledges, also after its end, and closes once', async () => {
    const round = await call();
    const close = () => staff.post(`/pledge-rounds/${round.id}/close`).expect(200);
    const { body: first } = await close();
    await pledge(round.id, '117', { recordedAt: new Date(Date.now() - 60_000).toISOString() });
    expect((await close()).body).toEqual({ ...(first as object), count: 1, sum: 50_000 });
    expect(
      await sql(
        app,
        "SELECT count(*)::int AS n FROM audit_entry WHERE action = 'pledge_round.close' AND subject_id = $1",
        [round.id],
      ),
    ).toEqual([{ n: 1 }]);
  });

  it('a round refuses pledges after its event got another currency', async () => {
    const round = await call();
    await admin.patch(`/events/${event.id}`, { currency: 'jpy' }).expect(200);
    const sent = { type: 'pledge', amount: 50_000, roundId: round.id };
    expect((await staff.post('/donations', sent).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'PLEDGE_ROUND_NOT_FOUND'),
    );
    expect(await roundNow(round.id)).toMatchObject({ count: 0, sum: 0 });
    const next = await call();
    await pledge(next.id, '117');
    expect(await roundNow(next.id)).toMatchObject({ currency: 'jpy', count: 1, sum: 50_000 });
  });

  it('staff of other events cannot see, close or use the round', async () => {
    const elsewhere = await createEvent(app, admin.token);
    const other = as(app, (await createStaff(app, admin.token, elsewhere.id)).token);
    const round = await call();
    const missing = errorBody(404, 'Not Found', 'PLEDGE_ROUND_NOT_FOUND');
    expect((await other.post(`/pledge-rounds/${round.id}/close`).expect(404)).body).toEqual(missing);
    const sent = { type: 'pledge', amount: 100, roundId: round.id };
    expect((await other.post('/donations', sent).expect(404)).body).toEqual(missing);
    expect((await other.get('/pledge-rounds').expect(200)).body).toEqual({ data: [] });
    await other.get(`/pledge-rounds?eventId=${event.id}`).expect(404);
    await staff.post(`/pledge-rounds/${newId()}/close`).expect(404);
    await admin.post('/pledge-rounds', { amount: 100 }).expect(400);
    await staff.post('/pledge-rounds', { amount: 0 }).expect(400);
  });
});

describe('payment link of a pledge', () => {
  const linkOf = async (id: string) => {
    const { body } = await staff.post(`/donations/${id}/payment-link`).expect(201);
    const { url, expiresAt } = body as { url: string; expiresAt: string };
    return { url, expiresAt, token: new URL(url).searchParams.get('pledge') ?? '' };
  };
  const intent = (token: string, fields: object = {}) =>
    app.http.post('/donations/intent').send({
      amount: 50_000,
      ...fields,
      metadata: { eventId: event.id, pledgeToken: token, donorName: 'Ada Lovelace' },
    });
  const pay = async (token: string) => {
    const { body } = await intent(token).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    return donationId;
  };
  /** Returns the checkbox for an anonymous donation. */
  const boxOf = (page: string) => /<input[^>]*name="anonymous"[^>]*>/.exec(page)?.[0] ?? '';
  const newPledge = async () => await pledge((await call()).id, '117', { donorName: 'Ada <Lovelace>' });

  it('the payment link opens the donate page with the amount and name, and the payment fulfils the pledge', async () => {
    const promised = await newPledge();
    const { url, expiresAt, token } = await linkOf(promised.id);
    expect(url).toBe(`https://give.example.org/donate/${event.slug}?pledge=${token}`);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 59 * 24 * 3_600_000);
    const page = await app.http
      .get(`/donate/${event.slug}?pledge=${token}`)
      .set('Accept', 'text/html')
      .expect(200);
    expect(page.text).toContain('value="500.00"');
    expect(page.text).toContain('value="Ada &lt;Lovelace&gt;"');
    expect(page.text).toContain(`name="pledge" value="${token}"`);
    expect(page.text).not.toContain('name="preset"');
    const paidBy = await pay(token);
    expect(await seen(promised.id)).toMatchObject({ status: 'CANCELLED', type: 'pledge', paidBy });
    expect(await reasonsOf(promised.id)).toEqual([null, `paid by ${paidBy}`]);
    expect(await seen(paidBy)).toMatchObject({ status: 'COMPLETED', amount: 50_000 });
    expect(await roundNow(promised.roundId)).toMatchObject({ count: 1, sum: 50_000 });
    expect(await keptTotals(app)).toEqual(await recount(app));
    const after = await app.http
      .get(`/donate/${event.slug}?pledge=${token}`)
      .set('Accept', 'text/html')
      .expect(200);
    expect(after.text).toContain('Your pledge is paid');
    expect(after.text).not.toContain('<form');
    expect((await intent(token).expect(409)).body).toEqual(errorBody(409, 'Conflict', 'PLEDGE_NOT_OPEN'));
    await staff.post(`/donations/${promised.id}/payment-link`).expect(409);
    await staff.post(`/donations/${promised.id}/fulfil`, { type: 'cash' }).expect(409);
  });

  it('the payment link allows the donor to add the fee to the pledged amount', async () => {
    const coverFee = { offer: true, basisPoints: 150, fixed: 25 };
    await admin.patch(`/events/${event.id}/settings`, { donation: { coverFee } }).expect(200);
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const covered = coveringFee(50_000, coverFee);
    const sent = (amount: number, coveredFee: number) =>
      app.http
        .post('/donations/intent')
        .send({ amount, metadata: { eventId: event.id, pledgeToken: token, coveredFee } });
    // A fee that the donor adds must not change the pledged amount.
    for (const promise of [40_000, 50_000 - covered])
      expect(
        (await sent(promise + coveringFee(promise, coverFee), coveringFee(promise, coverFee))).body,
      ).toEqual(errorBody(400, 'Bad Request', 'PLEDGE_AMOUNT_DIFFERS'));
    const { body } = await sent(50_000 + covered, covered).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await seen(promised.id)).toMatchObject({ status: 'CANCELLED', paidBy: donationId });
    expect(await seen(donationId)).toMatchObject({ status: 'COMPLETED', amount: 50_000 + covered });
  });

  it('the payment of an anonymous pledge stays anonymous on the walls', async () => {
    const hidden = { donorName: 'Ada Lovelace', isAnonymous: true };
    const promised = await pledge((await call()).id, '117', hidden);
    const { token } = await linkOf(promised.id);
    const page = await app.http
      .get(`/donate/${event.slug}?pledge=${token}`)
      .set('Accept', 'text/html')
      .expect(200);
    expect(boxOf(page.text)).toContain('checked');
    expect(await seen(await pay(token))).toMatchObject({ donorName: 'Ada Lovelace', isAnonymous: true });
    // A pledge without a name contains no choice about anonymity, so the donor decides.
    const open = await linkOf((await pledge(promised.roundId, '118', hidden)).id);
    const metadata = { eventId: event.id, pledgeToken: open.token, donorName: 'Ada', isAnonymous: false };
    const { body } = await app.http.post('/donations/intent').send({ amount: 50_000, metadata }).expect(201);
    expect(await seen((body as { donationId: string }).donationId)).toMatchObject({ isAnonymous: false });
    const nameless = await linkOf((await pledge(promised.roundId, '119')).id);
    expect(await seen(await pay(nameless.token))).toMatchObject({ isAnonymous: false });
    for (const { token } of [nameless, await linkOf((await newPledge()).id)])
      expect(
        boxOf((await app.http.get(`/donate/${event.slug}?pledge=${token}`).set('Accept', 'text/html')).text),
      ).not.toContain('checked');
  });

  it('the payment link leads to the present address of its event, also when another event uses the old one', async () => {
    const promised = await newPledge();
    const { url, token } = await linkOf(promised.id);
    const link = new URL(url);
    const old = event.slug;
    const slug = `${old}-2026`;
    await admin.patch(`/events/${event.id}`, { slug }).expect(200);
    const leads = async () => {
      const moved = await app.http
        .get(`${link.pathname}${link.search}&lang=de`)
        .set('Accept', 'text/html')
        .expect(303);
      expect(moved.headers.location).toBe(`/donate/${slug}?pledge=${token}&lang=de`);
      expect(moved.headers['cache-control']).toBe('no-store');
      const page = await app.http.get(String(moved.headers.location)).set('Accept', 'text/html').expect(200);
      expect(page.text).toContain('Ada &lt;Lovelace&gt;');
    };
    await leads();
    await createEvent(app, admin.token, { slug: old });
    await leads();
    const donation = await pay(token);
    const { donorToken } = (
      await app.http
        .post('/donations/intent')
        .send({ amount: 1000, metadata: { eventId: event.id, donorName: 'Ada' } })
        .expect(201)
    ).body as { donorToken: string };
    expect(await seen(donation)).toMatchObject({ status: 'COMPLETED' });
    // The way back from a bank uses the same redirect.
    const back = await app.http
      .get(`/donate/${old}/thanks?donation=${donorToken}`)
      .set('Accept', 'text/html')
      .expect(303);
    expect(back.headers.location).toBe(`/donate/${slug}/thanks?donation=${donorToken}`);
    await app.http.get(String(back.headers.location)).set('Accept', 'text/html').expect(200);
    // With an invalid token, the page does not redirect.
    await app.http.get(`/donate/${old}?pledge=${token}x`).set('Accept', 'text/html').expect(200);
  });

  it('a link pays its pledge after the event is closed and its amounts changed, but not while it is paused', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const page = async () =>
      (await app.http.get(`/donate/${event.slug}?pledge=${token}`).set('Accept', 'text/html').expect(200))
        .text;
    const bounds = { minAmount: 100, maxAmount: 20_000 };
    await admin.patch(`/events/${event.id}/settings`, { donation: bounds }).expect(200);
    await admin.patch(`/events/${event.id}`, { status: 'paused' }).expect(200);
    expect(await page()).not.toContain('<form');
    expect((await intent(token).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'EVENT_TAKES_NO_DONATIONS'),
    );
    await admin.patch(`/events/${event.id}`, { status: 'closed' }).expect(200);
    const form = await page();
    expect(form).toContain('value="500.00"');
    expect(form).toContain('&quot;max&quot;:null');
    // Without a valid pledge token, the service refuses payments for the closed event.
    const metadata = { eventId: event.id };
    const without = app.http.post('/donations/intent').send({ amount: 5_000, metadata });
    expect((await without).body).toEqual(errorBody(409, 'Conflict', 'EVENT_TAKES_NO_DONATIONS'));
    expect((await intent('x').expect(400)).body).toMatchObject({ code: 'PLEDGE_LINK_INVALID' });
    const paidBy = await pay(token);
    expect(await seen(promised.id)).toMatchObject({ status: 'CANCELLED', paidBy });
    expect(await seen(paidBy)).toMatchObject({ status: 'COMPLETED', amount: 50_000 });
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('an archived event has no payment links and accepts no payment by them', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    await intent(token).expect(404);
    const refused = await admin.post(`/donations/${promised.id}/payment-link`).expect(409);
    expect(refused.body).toEqual(errorBody(409, 'Conflict', 'EVENT_TAKES_NO_DONATIONS'));
  });

  it('a donor returns to the link after a cancelled payment at the provider', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const key = randomUUID();
    const sent = await app.http
      .post(`/donate/${event.slug}`)
      .type('form')
      .send({ key, pledge: token, amount: '500.00', provider: 'paypal' })
      .expect(303);
    const order = new URL(String(sent.headers.location)).searchParams.get('token') ?? '';
    const { returnUrl, cancelUrl } = app.sandbox.paypal.returnUrls(order);
    const follow = async (address: string | undefined) => {
      const { pathname, search } = new URL(address ?? '');
      return await app.http.get(pathname + search).set('Accept', 'text/html');
    };
    await admin.patch(`/events/${event.id}`, { status: 'closed' }).expect(200);
    const cancelled = await follow(cancelUrl);
    expect(cancelled.status).toBe(200);
    expect(cancelled.text).toContain(`name="pledge" value="${token}"`);
    // The donor returns without an approval. Nothing is paid, and the page offers the payment link of the pledge again.
    const back = await follow(returnUrl);
    expect(back.status).toBe(303);
    const thanks = await follow(`https://give.example.org${String(back.headers.location)}`);
    expect(thanks.text).toContain(`href="/donate/${event.slug}?pledge=${token}"`);
    const paidBy = await pay(token);
    expect(await seen(promised.id)).toMatchObject({ status: 'CANCELLED', paidBy });
    const after = await follow(`https://give.example.org${String(back.headers.location)}`);
    expect(after.text).not.toContain('?pledge=');
  });

  it('books a payment by link after the pledge was paid at the till, and raises a review item', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const { body } = await intent(token).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    await staff.post(`/donations/${promised.id}/fulfil`, { type: 'cash' }).expect(200);
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await seen(promised.id)).toMatchObject({ status: 'COMPLETED', paidBy: null });
    expect(await seen(donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(
      await sql(
        app,
        "SELECT kind, detail ->> 'otherDonation' AS other FROM review_item WHERE donation_id = $1",
        [donationId],
      ),
    ).toEqual([{ kind: 'paid_twice', other: promised.id }]);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('two payments by one link fulfil the pledge once, and raise a review item', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const [one, two] = [await intent(token).expect(201), await intent(token).expect(201)];
    for (const { body } of [one, two])
      app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    const ids = [one, two].map(({ body }) => (body as { donationId: string }).donationId);
    expect(ids).toContain((await seen(promised.id))?.paidBy);
    expect(await reasonsOf(promised.id)).toHaveLength(2);
    expect(await sql(app, 'SELECT kind FROM review_item WHERE donation_id = ANY($1::uuid[])', [ids])).toEqual(
      [{ kind: 'paid_twice' }],
    );
  });

  it('the link of a retracted pledge is invalid, but a payment under way is booked', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const { body } = await intent(token).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    await staff.post(`/donations/${promised.id}/undo`).expect(200);
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await seen(promised.id)).toMatchObject({ status: 'CANCELLED', paidBy: null });
    expect(await seen(donationId)).toMatchObject({ status: 'COMPLETED' });
    await intent(token).expect(409);
    const page = await app.http
      .get(`/donate/${event.slug}?pledge=${token}`)
      .set('Accept', 'text/html')
      .expect(200);
    expect(page.text).toContain('This pledge is no longer open');
  });

  it('the payment link accepts only its own event, amount and currency, and no changed token', async () => {
    const promised = await newPledge();
    const { token } = await linkOf(promised.id);
    const amount = await intent(token, { amount: 40_000 }).expect(400);
    expect(amount.body).toMatchObject({ code: 'PLEDGE_AMOUNT_DIFFERS' });
    await intent(token, { currency: 'usd' }).expect(400);
    const forged = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
    for (const bad of [forged, 'x', token.slice(1)])
      expect((await intent(bad).expect(400)).body).toMatchObject({ code: 'PLEDGE_LINK_INVALID' });
    const elsewhere = await createEvent(app, admin.token);
    await app.http
      .post('/donations/intent')
      .send({ amount: 50_000, metadata: { eventId: elsewhere.id, pledgeToken: token } })
      .expect(400);
    const page = await app.http
      .get(`/donate/${event.slug}?pledge=${forged}`)
      .set('Accept', 'text/html')
      .expect(200);
    expect(page.text).not.toContain('Ada');
  });

  it('staff get links only of their own open pledges', async () => {
    const { body: cash } = await staff.post('/donations', { type: 'cash', amount: 100 }).expect(201);
    expect((await staff.post(`/donations/${(cash as Pledge).id}/payment-link`).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'PLEDGE_NOT_OPEN'),
    );
    const promised = await newPledge();
    const colleague = as(app, (await createStaff(app, admin.token, event.id)).token);
    await colleague.post(`/donations/${promised.id}/payment-link`).expect(404);
    await admin.post(`/donations/${promised.id}/payment-link`).expect(201);
    await staff.post('/donations/garbage/payment-link').expect(404);
  });
});
