import { pointerPart, readDescription, validator } from '../contract/described.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { World } from '../money/world.js';
import { as, errorBody } from '../support/bearer.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';

const app = withService(startPaymentsApp);
let token: string;
let world: World;

beforeAll(async () => {
  token = await adminToken(app);
  world = await World.create(app, token);
});

describe('GET /donations/:id/story', () => {
  it('the story lists the events of an online donation at the provider and here', async () => {
    const { donationId, paymentId } = await world.intent('card', 5_000, 'ada@example.org');
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    // The provider reports the fee only when the server reads the payment again.
    await sql(app, 'UPDATE donation SET next_check_at = now() WHERE id = $1', [donationId]);
    await world.reconcile();
    await as(app, token).get(`/export/receipts/${donationId}`).expect(200);
    await as(app, token).patch(`/donations/${donationId}`, { donorName: 'Ada Lovelace' }).expect(200);
    await as(app, token).get(`/export/receipts/${donationId}`).expect(200);
    await world.cancel(donationId, { shouldRefund: true, amount: 1_000, reason: 'asked for it' });
    app.sandbox.stripe.openDispute(paymentId);
    await world.deliverAll(Math.random);
    const { body } = await as(app, token).get(`/donations/${donationId}/story`).expect(200);
    expect(body.donation).toMatchObject({ id: donationId, refundedAmount: 1_000, status: 'COMPLETED' });
    expect(body.payment).toEqual({
      provider: 'stripe',
      paymentId,
      captureId: app.sandbox.stripe.intent(paymentId).latest_charge,
      fee: expect.any(Number),
      feeCurrency: 'eur',
    });
    expect(body.history.map(({ to }: { to: string }) => to)).toContain('COMPLETED');
    expect(body.webhookEvents.map(({ kind }: { kind: string }) => kind)).toContain(
      'payment_intent.succeeded',
    );
    expect(body.refunds).toMatchObject([
      {
        amount: 1_000,
        currency: 'eur',
        status: 'succeeded',
        reason: 'asked for it',
        actor: 'admin',
        provider: 'stripe',
      },
    ]);
    expect(body.disputes).toMatchObject([{ status: 'open', amount: 4_000, needsAnswer: true }]);
    expect(body.receipts).toMatchObject([
      { number: expect.stringMatching(/-000001$/), replaces: null, replacedAt: expect.any(String) },
      {
        number: expect.stringMatching(/-000002$/),
        replaces: expect.stringMatching(/-000001$/),
        replacedAt: null,
      },
    ]);
    expect(body.reviewItems).toMatchObject([{ kind: 'dispute', title: 'A payment is disputed' }]);
    const [correction] = body.audit;
    expect(body.names).toEqual({ [correction.actorId]: expect.stringContaining('@') });
    expect(body.audit).toMatchObject([
      { action: 'donation.correct', actor: 'admin', detail: { fields: ['donorName'] } },
    ]);
    const schema = `/paths/${pointerPart('/donations/{id}/story')}/get/responses/200/content/application~1json/schema`;
    expect(validator(readDescription(), 'openapi')(schema, body)).toBeUndefined();
  });

  it("the story shows the delivery state of the donation's e-mails", async () => {
    const mail = await MailServer.start();
    const mailing = await startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL });
    try {
      const admin = as(mailing, await adminToken(mailing));
      const event = await createEvent(mailing, await adminToken(mailing));
      const { body: made } = await admin
        .post('/donations', {
          eventId: event.id,
          amount: 900,
          type: 'cash',
          donorName: 'Grace',
          donorEmail: 'grace@example.org',
        })
        .expect(201);
      const path = `/donations/${(made as { id: string }).id}/story`;
      const emails = async () => (await admin.get(path).expect(200)).body.emails as { state: string }[];
      expect(await emails()).toEqual([]);
      mail.mode = 550;
      await admin.post(`/donations/${(made as { id: string }).id}/email-receipt`).expect(202);
      await until(async () => (await emails())[0]?.state === 'bounced', 'the answer of the mail server');
      expect(await emails()).toEqual([
        {
          id: expect.any(String),
          kind: 'receipt',
          donationId: (made as { id: string }).id,
          state: 'bounced',
          attempts: 1,
          lastError: expect.stringContaining('is not wanted here'),
          createdAt: expect.any(String),
          sentAt: null,
          nextAttemptAt: null,
        },
      ]);
      // The e-mail went to the donor's address in the donation, so the answer does not repeat the address.
      expect(JSON.stringify(await emails())).not.toContain('grace@example.org');
      mail.mode = 'accept';
      await admin.post(`/emails/${(await admin.get('/emails').expect(200)).body.data[0].id}/retry`);
      await until(async () => (await emails())[0]?.state === 'sent', 'the e-mail');
    } finally {
      await mailing.close();
      await mail.stop();
    }
  });

  it('the story of an offline donation has no payment', async () => {
    const made = await world.record(1_000, 'cash', null);
    const { body } = await as(app, token).get(`/donations/${made?.donationId}/story`).expect(200);
    expect(body).toMatchObject({
      payment: null,
      webhookEvents: [],
      refunds: [],
      disputes: [],
      receipts: [],
      emails: [],
      payouts: [],
    });
  });

  it('the story is refused to staff and the public, and answers 404 for an unknown donation', async () => {
    const made = await world.record(1_000, 'cash', null);
    const path = `/donations/${made?.donationId}/story`;
    const accountant = await adminToken(app, 'ACCOUNTANT');
    await as(app, accountant).get(path).expect(200);
    const staff = await createStaff(app, token, world.event.id);
    await as(app, staff.token).get(path).expect(403);
    for (const id of [newId(), 'garbage'])
      expect((await as(app, token).get(`/donations/${id}/story`).expect(404)).body).toEqual(
        errorBody(404, 'Not Found', 'DONATION_NOT_FOUND'),
      );
  });
});
