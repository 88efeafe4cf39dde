import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Receiver } from '../../sandbox/testing/receiver.js';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { newId } from '../../src/common/crypto/ids.js';
import type { PayPalConfig } from '../../src/payments/providers/paypal/paypal-environment.js';
import type { WebhookEvent, PaymentFact, RefundFact } from '../../src/payments/providers/provider-port.js';
import { PayPalClient } from '../../src/payments/providers/paypal/paypal-client.js';
import { PayPalProvider } from '../../src/payments/providers/paypal/paypal.provider.js';
import {
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../../src/payments/providers/provider-errors.js';

const PUBLIC_URL = 'https://give.example.org';

const EVENT = newId();

describe('PayPal provider against the payment sandbox', () => {
  let sandbox: Sandbox;
  let receiver: Receiver;
  let config: PayPalConfig;
  let paypal: PayPalProvider;
  const caFile = join(tmpdir(), `paypal-ca-${newId()}.pem`);

  beforeAll(async () => {
    Logger.overrideLogger(false);
    receiver = await Receiver.start();
    sandbox = await startSandbox({
      stripe: { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' },
      paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK1', webhookUrl: receiver.url },
      delivery: { retryDelaysMs: [10, 20] },
      referee: true,
    });
    sandbox.paypal.keepRefusals();
    writeFileSync(caFile, sandbox.paypal.caPem);
    config = {
      clientId: 'client',
      clientSecret: 'secret',
      webhookId: 'WEBHOOK1',
      apiUrl: new URL(sandbox.url),
      verification: 'offline',
      caFile,
    };
    paypal = provider();
  });

  afterEach(async () => {
    sandbox.faults.clear();
    sandbox.paypal.useCertificate('good');
    await sandbox.settled();
    receiver.reset();
    expect(sandbox.referee.violations('request')).toEqual([]);
  });

  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
    rmSync(caFile, { force: true });
  });

  const provider = (
    overrides: Partial<PayPalConfig> = {},
    // The sandbox reads each API description when it is first called, which can take a second.
    limits = { timeoutMs: 20_000, retryDelaysMs: [5, 10] },
  ) => {
    const changed = { ...config, ...overrides };
    return new PayPalProvider(changed, PUBLIC_URL, new PayPalClient(changed, limits));
  };

  /** Returns a client with a short timeout. */
  const impatient = () => provider({}, { timeoutMs: 800, retryDelaysMs: [5, 10] });

  const request = (
    overrides: { donationId?: string; eventName?: string; amount?: bigint; currency?: string } = {},
  ) => ({
    donationId: newId(),
    eventId: EVENT,
    eventName: 'Spring gala',
    amount: 2500n,
    currency: 'eur',
    ...overrides,
  });

  const approved = async (donationId = newId(), amount = 2500n) => {
    const { paymentId } = await paypal.createPayment(request({ donationId, amount }));
    sandbox.paypal.approve(paymentId);
    return paymentId;
  };

  const captured = async (donationId = newId(), amount = 2500n) => {
    const paymentId = await approved(donationId, amount);
    const [paid] = await paypal.capturePayment(paymentId);
    if (paid?.kind !== 'paid' || paid.captureId === undefined) throw new Error('the order is not paid');
    return { paymentId, captureId: paid.captureId };
  };

  /** Returns the last message of a kind, verified and read. */
  const notified = async (kind: string): Promise<WebhookEvent> => {
    await sandbox.settled();
    const { body, headers } = receiver.find(kind);
    return await paypal.readWebhook(Buffer.from(body), headers);
  };

  const kinds = (facts: readonly PaymentFact[]) => facts.map(({ kind }) => kind);

  const listUndelivered = async (since: Date) => {
    const found: WebhookEvent[] = [];
    for await (const webhookEvent of paypal.events(since)) found.push(webhookEvent);
    return found;
  };

  describe('orders', () => {
    it('creates one order for a donation when the request is repeated', async () => {
      const wanted = request();
      const first = await paypal.createPayment(wanted);
      expect(first.checkout).toEqual({
        orderId: first.paymentId,
        approveUrl: expect.stringContaining(`token=${first.paymentId}`),
      });
      expect((await paypal.createPayment(wanted)).paymentId).toBe(first.paymentId);
      const order = sandbox.paypal.order(first.paymentId);
      expect(order.purchase_units[0]).toMatchObject({
        custom_id: wanted.donationId,
        description: 'Donation: Spring gala',
        amount: { currency_code: 'EUR', value: '25.00' },
      });
      expect(sandbox.paypal.returnUrls(first.paymentId).returnUrl).toMatch(`${PUBLIC_URL}/`);
    });

    it("shortens a name to PayPal's maximum length without splitting a character", async () => {
      const family = '👩‍👩‍👧';
      for (const eventName of [
        '🎄'.repeat(100),
        family.repeat(40),
        `x${family.repeat(40)}`,
        'é'.repeat(200),
      ]) {
        const { paymentId } = await paypal.createPayment(request({ eventName }));
        const [unit] = sandbox.paypal.order(paymentId).purchase_units;
        const text = String((unit as { description?: string }).description);
        expect(text.length).toBeLessThanOrEqual(127);
        expect(text.length).toBeGreaterThan(127 - family.length);
        expect(`Donation: ${eventName}`.startsWith(text)).toBe(true);
        const rest = `Donation: ${eventName}`.slice(text.length);
        expect([family, '🎄', 'é'].some((character) => rest.startsWith(character))).toBe(true);
      }
    });

    it('a repeated request after the approval returns the approval address of PayPal', async () => {
      const wanted = request();
      const { paymentId } = await paypal.createPayment(wanted);
      sandbox.paypal.approve(paymentId);
      const again = await paypal.createPayment(wanted);
      expect(again.checkout).toEqual({
        orderId: paymentId,
        approveUrl: `${PUBLIC_URL}/donations/wallet/return?token=${paymentId}`,
      });
    });

    it('an order contains whole forints and yen', async () => {
      const forint = await paypal.createPayment(request({ amount: 500_000n, currency: 'huf' }));
      expect(sandbox.paypal.order(forint.paymentId).purchase_units[0]?.amount).toEqual({
        currency_code: 'HUF',
        value: '5000',
      });
      sandbox.paypal.approve(forint.paymentId);
      expect(await paypal.capturePayment(forint.paymentId)).toMatchObject([
        { kind: 'paid', amount: 500_000n, currency: 'huf' },
      ]);
    });

    it('an order reports no fact before its approval, then the approval', async () => {
      const donationId = newId();
      const { paymentId } = await paypal.createPayment(request({ donationId }));
      expect(await paypal.readPayment(paymentId)).toEqual([]);
      sandbox.paypal.approve(paymentId);
      expect(await paypal.readPayment(paymentId)).toEqual([
        { kind: 'approved', paymentId, donationId, eventRef: EVENT },
      ]);
    });

    it('reports no fact for an unknown order', async () => {
      expect(await paypal.readPayment('5O190127TN364715T')).toEqual([]);
      expect(await paypal.readPayment('../../v1/notifications/webhooks-events')).toEqual([]);
    });
  });

  describe('captures', () => {
    it('captures the money and reports amount, currency, capture and payer', async () => {
      const donationId = newId();
      const paymentId = await approved(donationId);
      const [fact] = await paypal.capturePayment(paymentId);
      expect(fact).toEqual({
        kind: 'paid',
        paymentId,
        donationId,
        eventRef: EVENT,
        fee: { amount: 85n, currency: 'eur' },
        captureId: sandbox.paypal.captureOf(paymentId).id,
        amount: 2500n,
        currency: 'eur',
        paidAt: expect.any(Date),
        method: { method: 'paypal' },
        payer: { name: 'Dora Donor', email: expect.stringMatching(/^dora\.donor\..+@example\.com$/) },
      });
    });

    it('treats "already captured" as a success', async () => {
      const { paymentId } = await captured();
      expect(kinds(await paypal.capturePayment(paymentId))).toEqual(['paid']);
      const elsewhere = await approved();
      sandbox.paypal.capture(elsewhere, { amount: 2400 });
      expect(await paypal.capturePayment(elsewhere)).toMatchObject([{ kind: 'paid', amount: 2400n }]);
    });

    it('refuses a capture before the approval', async () => {
      const { paymentId } = await paypal.createPayment(request());
      await expect(paypal.capturePayment(paymentId)).rejects.toMatchObject({ reason: 'ORDER_NOT_APPROVED' });
      await expect(paypal.capturePayment('5O190127TN364715T')).rejects.toThrow(ProviderRefusedError);
      await expect(paypal.capturePayment('a/b')).rejects.toThrow(ProviderRefusedError);
    });

    it('a capture that the bank declines is a failure and may succeed later', async () => {
      const paymentId = await approved();
      sandbox.paypal.onCapture(paymentId, { outcome: 'decline' });
      expect(await paypal.capturePayment(paymentId)).toEqual([
        { kind: 'failed', paymentId, reason: 'INSTRUMENT_DECLINED' },
      ]);
      sandbox.paypal.onCapture(paymentId, { outcome: 'complete' });
      // PayPal stores its refusal for the first key.
      expect(kinds(await paypal.capturePayment(paymentId))).toEqual(['failed']);
      expect(kinds(await paypal.capturePayment(paymentId, 1))).toEqual(['paid']);
    });

    it('a pending capture is processing, then paid or failed', async () => {
      const [good, bad] = [await approved(), await approved()];
      for (const paymentId of [good, bad]) {
        sandbox.paypal.onCapture(paymentId, { outcome: 'pending' });
        expect(kinds(await paypal.capturePayment(paymentId))).toEqual(['processing']);
      }
      sandbox.paypal.completeCapture(good);
      sandbox.paypal.denyCapture(bad);
      expect(kinds(await paypal.readPayment(good))).toEqual(['paid']);
      expect(await paypal.readPayment(bad)).toMatchObject([{ kind: 'failed', reason: 'DECLINED' }]);
      expect(kinds(await paypal.factsOf(await notified('PAYMENT.CAPTURE.DENIED')))).toEqual(['failed']);
    });
  });

  describe('cancellation of orders', () => {
    it('a cancellation succeeds for an order without a capture: open, approved or deleted', async () => {
      const donationId = newId();
      const open = await paypal.createPayment(request({ donationId }));
      expect(await paypal.cancelPayment(open.paymentId)).toEqual([
        { kind: 'cancelled', paymentId: open.paymentId, donationId, eventRef: EVENT },
      ]);
      expect(kinds(await paypal.cancelPayment(await approved()))).toEqual(['cancelled']);
      sandbox.paypal.forget(open.paymentId);
      expect(await paypal.cancelPayment(open.paymentId)).toEqual([
        { kind: 'cancelled', paymentId: open.paymentId },
      ]);
    });

    it('a cancellation reports a captured or pending payment', async () => {
      const { paymentId } = await captured();
      expect(kinds(await paypal.cancelPayment(paymentId))).toEqual(['paid']);
      const waiting = await approved();
      sandbox.paypal.capture(waiting, { pending: true });
      expect(kinds(await paypal.cancelPayment(waiting))).toEqual(['processing']);
    });

    it('a cancellation does not report success for a capture of unknown status', async () => {
      const { paymentId } = await captured();
      sandbox.paypal.nameStatus(paymentId, 'SLEEPING');
      expect(await paypal.cancelPayment(paymentId)).toMatchObject([{ kind: 'unknown', status: 'SLEEPING' }]);
    });
  });

  describe('refunds', () => {
    const refund = (
      payment: { paymentId: string; captureId: string | null },
      amount: bigint,
      refundId = newId(),
    ) => ({
      refundId,
      ...payment,
      amount,
      currency: 'eur',
    });

    it('makes one refund for each refund row and finds it by the refund id', async () => {
      const payment = await captured();
      const wanted = refund(payment, 1000n);
      const first = await paypal.refundPayment(wanted);
      expect(first).toMatchObject({
        kind: 'refund',
        paymentId: payment.paymentId,
        refundId: wanted.refundId,
        amount: 1000n,
        currency: 'eur',
        status: 'succeeded',
      });
      expect(await paypal.refundPayment(wanted)).toEqual(first);
      expect(sandbox.paypal.refundsOf(payment.paymentId)).toHaveLength(1);
      expect(await paypal.readPayment(payment.paymentId)).toMatchObject([
        { kind: 'paid', amount: 2500n },
        {
          kind: 'refund',
          refundId: wanted.refundId,
          providerRefundId: first.providerRefundId,
          amount: 1000n,
        },
      ]);
      expect(await paypal.readRefund(first.providerRefundId, { paymentId: payment.paymentId })).toEqual(
        first,
      );
    });

    it('a refund finds its capture without a given capture id', async () => {
      const { paymentId } = await captured();
      expect((await paypal.refundPayment(refund({ paymentId, captureId: null }, 2500n))).status).toBe(
        'succeeded',
      );
    });

    it('refuses the refund of a deleted or unpaid order', async () => {
      const payment = await captured();
      await paypal.refundPayment(refund(payment, 2500n));
      await expect(paypal.refundPayment(refund(payment, 1n))).rejects.toMatchObject({
        reason: 'CAPTURE_FULLY_REFUNDED',
      });
      const unpaid = { paymentId: await approved(), captureId: null };
      await expect(paypal.refundPayment(refund(unpaid, 1n))).rejects.toMatchObject({
        reason: 'NOTHING_CAPTURED',
      });
    });

    it('a refund larger than one capture uses all of them once, in spite of lost answers', async () => {
      const paymentId = await approved(newId(), 3000n);
      sandbox.paypal.capture(paymentId, { amount: 1000, final: false });
      sandbox.paypal.captureAgain(paymentId, { amount: 1500 });
      sandbox.paypal.captureAgain(paymentId, { amount: 500 });
      const [first] = sandbox.paypal.capturesOf(paymentId);
      const payment = { paymentId, captureId: first?.id ?? null };
      const given = () => sandbox.paypal.payments().find(({ id }) => id === paymentId)?.refunded;
      expect(await paypal.refundPayment(refund(payment, 1200n))).toMatchObject({ amount: 1200n });
      const all = refund(payment, 1800n);
      sandbox.faults.add({
        provider: 'paypal',
        operation: 'captures.refund',
        kind: 'hang',
        skip: 2,
        after: true,
      });
      await expect(impatient().refundPayment(all)).rejects.toThrow(ProviderUnavailableError);
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const fact = await paypal.refundPayment(all);
        expect(fact).toMatchObject({ refundId: all.refundId, status: 'succeeded' });
      }
      expect(given()).toBe(3000);
      await expect(paypal.refundPayment(refund(payment, 1n))).rejects.toMatchObject({
        reason: 'CAPTURE_FULLY_REFUNDED',
      });
    });

    it('finds a refund by our id after PayPal has deleted its idempotency key', async () => {
      const payment = await captured();
      const wanted = refund(payment, 2500n);
      const first = await paypal.refundPayment(wanted);
      // In the sandbox, the key depends on the capture id. So another capture id has the same effect as a key that PayPal has
      // deleted.
      const forgetful = new PayPalProvider(config, PUBLIC_URL, new ForgetfulClient(config));
      expect(await forgetful.refundPayment(wanted)).toMatchObject({
        providerRefundId: first.providerRefundId,
      });
    });

    it('a refund may be pending, then succeed or fail', async () => {
      const payment = await captured();
      sandbox.faults.add({ provider: 'paypal', operation: 'captures.refund', kind: 'pending' });
      const made = await paypal.refundPayment(refund(payment, 1000n));
      expect(made.status).toBe('pending');
      sandbox.paypal.failRefund(made.providerRefundId);
      expect((await paypal.readRefund(made.providerRefundId, payment)).status).toBe('failed');
      sandbox.faults.add({ provider: 'paypal', operation: 'captures.refund', kind: 'decline' });
      expect((await paypal.refundPayment(refund(payment, 1000n))).status).toBe('failed');
      await expect(paypal.readRefund('NOSUCHREFUND', payment)).rejects.toThrow(ProviderRefusedError);
    });

    it('a repeated request after a lost answer returns the same refund', async () => {
      const payment = await captured();
      const wanted = refund(payment, 1000n);
      sandbox.faults.add({ provider: 'paypal', operation: 'captures.refund', kind: 'hang', after: true });
      await expect(impatient().refundPayment(wanted)).rejects.toThrow(ProviderUnavailableError);
      expect((await paypal.refundPayment(wanted)).status).toBe('succeeded');
      expect(sandbox.paypal.refundsOf(payment.paymentId)).toHaveLength(1);
    });
  });

  describe('webhook messages', () => {
    it('a message about an approval, order or capture reports the present state of the order', async () => {
      const paymentId = await approved();
      const approval = await notified('CHECKOUT.ORDER.APPROVED');
      expect(await paypal.factsOf(approval)).toMatchObject([{ kind: 'approved', paymentId }]);
      await paypal.capturePayment(paymentId);
      expect(kinds(await paypal.factsOf(approval))).toEqual(['paid']);
      for (const kind of ['CHECKOUT.ORDER.COMPLETED', 'PAYMENT.CAPTURE.COMPLETED'])
        expect(await paypal.factsOf(await notified(kind))).toMatchObject([
          { kind: 'paid', paymentId, amount: 2500n },
        ]);
    });

    it('a message about a refund made at the PayPal dashboard contains no refund id of ours', async () => {
      const { paymentId } = await captured();
      sandbox.paypal.refund(paymentId, { amount: 700 });
      const [, refund] = (await paypal.factsOf(await notified('PAYMENT.CAPTURE.REFUNDED'))) as RefundFact[];
      expect(refund).toMatchObject({ kind: 'refund', paymentId, amount: 700n, status: 'succeeded' });
      expect(refund).not.toHaveProperty('refundId');
    });

    it('a reversal counts the money once, in every kind of query', async () => {
      const { paymentId } = await captured();
      sandbox.paypal.reverse(paymentId, { amount: 1500 });
      const told = await paypal.factsOf(await notified('PAYMENT.CAPTURE.REVERSED'));
      expect(told).toEqual(await paypal.readPayment(paymentId));
      expect(told).toMatchObject([{ kind: 'paid' }, { kind: 'refund', amount: 1500n, status: 'succeeded' }]);
    });

    it('a reversal that PayPal does not list as a refund is a lost dispute', async () => {
      const { paymentId, captureId } = await captured();
      const reversal = {
        id: 'WH-1',
        kind: 'PAYMENT.CAPTURE.REVERSED',
        content: { captureId, refundId: 'UNKNOWN1', reversal: true },
      };
      const [, dispute] = await paypal.factsOf(reversal);
      expect(dispute).toMatchObject({
        kind: 'dispute',
        paymentId,
        disputeId: `reversal:${captureId}`,
        amount: 2500n,
        currency: 'eur',
        status: 'lost',
      });
    });

    it('a message about an order made by a checkout page names the event', async () => {
      const event = newId();
      const bySlug = sandbox.paypal.createCapturedOrder({
        amount: 1500,
        currency: 'usd',
        custom_id: 'event:gala-2026',
      });
      expect(await paypal.factsOf(await notified('CHECKOUT.ORDER.COMPLETED'))).toMatchObject([
        { kind: 'paid', paymentId: bySlug.id, eventRef: 'gala-2026', amount: 1500n, currency: 'usd' },
      ]);
      sandbox.paypal.createCapturedOrder({ amount: 1500, currency: 'usd', custom_id: event });
      expect(await paypal.factsOf(await notified('CHECKOUT.ORDER.COMPLETED'))).toMatchObject([
        { donationId: event, eventRef: event },
      ]);
    });

    it('a message about a foreign order, a deleted order or an unused type reports no fact', async () => {
      sandbox.paypal.createCapturedOrder({ amount: 1500, currency: 'usd', custom_id: 'SHOP-17' });
      expect(await paypal.factsOf(await notified('PAYMENT.CAPTURE.COMPLETED'))).toEqual([]);
      const paymentId = await approved();
      const approval = await notified('CHECKOUT.ORDER.APPROVED');
      sandbox.paypal.forget(paymentId);
      expect(await paypal.factsOf(approval)).toEqual([]);
      const body = JSON.stringify({
        id: 'WH-2',
        event_type: 'CUSTOMER.DISPUTE.CREATED',
        resource: { id: 'PP-1' },
      });
      const headers = sandbox.paypal.signatureHeaders(body);
      expect(await paypal.factsOf(await paypal.readWebhook(Buffer.from(body), headers))).toEqual([]);
    });

    it('a message about an order that pays another account reports no fact', async () => {
      const made = sandbox.paypal.createCapturedOrder({
        amount: 1500,
        currency: 'usd',
        custom_id: 'event:gala',
      });
      const merchantId = made.purchase_units[0]?.payee.merchant_id;
      const message = await notified('PAYMENT.CAPTURE.COMPLETED');
      expect(kinds(await provider({ merchantId }).factsOf(message))).toEqual(['paid']);
      expect(await provider({ merchantId: 'SOMEBODYELSE1' }).factsOf(message)).toEqual([]);
    });

    it("amounts come from PayPal's API, not from the message", async () => {
      const { paymentId } = await captured();
      await sandbox.settled();
      const { body } = receiver.find('PAYMENT.CAPTURE.COMPLETED');
      const lie = body.replaceAll('"25.00"', '"9999.00"');
      const webhookEvent = await paypal.readWebhook(Buffer.from(lie), sandbox.paypal.signatureHeaders(lie));
      expect(await paypal.factsOf(webhookEvent)).toMatchObject([{ kind: 'paid', paymentId, amount: 2500n }]);
    });

    it.each(['offline', 'api'] as const)('verifies a message by the method %s', async (verification) => {
      const verifier = provider({ verification });
      await approved();
      await sandbox.settled();
      const { body, headers } = receiver.find('CHECKOUT.ORDER.APPROVED');
      const webhookEvent = await verifier.readWebhook(Buffer.from(body), headers);
      expect(webhookEvent).toMatchObject({
        id: expect.stringMatching(/^WH-/),
        kind: 'CHECKOUT.ORDER.APPROVED',
      });
      const refused = { code: 'WEBHOOK_SIGNATURE_INVALID' };
      await expect(
        verifier.readWebhook(Buffer.from(body.replace('APPROVED', 'COMPLETED')), headers),
      ).rejects.toMatchObject(refused);
      await expect(
        provider({ verification, webhookId: 'OTHER' }).readWebhook(Buffer.from(body), headers),
      ).rejects.toMatchObject(refused);
      await expect(
        verifier.readWebhook(Buffer.from(body), { ...headers, 'paypal-transmission-sig': undefined }),
      ).rejects.toMatchObject(refused);
    });

    it('the message cannot overwrite the fields of the verification request', async () => {
      const verifier = provider({ verification: 'api' });
      const body = '{"id":"WH-1","event_type":"X"}';
      const headers = sandbox.paypal.signatureHeaders(body);
      const injected = `{"id":"WH-9"},"webhook_event":${body}`;
      await expect(verifier.readWebhook(Buffer.from(injected), headers)).rejects.toMatchObject({
        code: 'WEBHOOK_SIGNATURE_INVALID',
      });
    });

    it.each(['expired', 'wrong-name', 'untrusted'] as const)(
      'rejects a message with a certificate that is %s',
      async (kind) => {
        const body = '{"id":"WH-1","event_type":"X"}';
        const headers = sandbox.paypal.signatureHeaders(body, kind);
        await expect(paypal.readWebhook(Buffer.from(body), headers)).rejects.toMatchObject({
          code: 'WEBHOOK_SIGNATURE_INVALID',
        });
      },
    );

    it('rejects a signed message that is not an event', async () => {
      for (const body of ['not JSON', '[]', '{}', '{"id":"WH-1"}', '{"id":"a b","event_type":"X"}']) {
        const headers = sandbox.paypal.signatureHeaders(body);
        await expect(paypal.readWebhook(Buffer.from(body), headers)).rejects.toMatchObject({
          code: 'WEBHOOK_BODY_INVALID',
        });
      }
    });

    it('a message waits while the certificate is unavailable', async () => {
      const fresh = provider();
      const body = '{"id":"WH-1","event_type":"X"}';
      const headers = sandbox.paypal.signatureHeaders(body);
      sandbox.faults.add({ provider: 'paypal', operation: 'certs.get', kind: 'error' });
      await expect(fresh.readWebhook(Buffer.from(body), headers)).rejects.toThrow(ProviderUnavailableError);
      expect((await fresh.readWebhook(Buffer.from(body), headers)).id).toBe('WH-1');
    });
  });

  it('the provider lists all messages since a time over many pages', async () => {
    const since = new Date(Date.now() - 60_000);
    const orders = new Set<string>();
    for (let i = 0; i < 120; i += 1)
      orders.add(
        sandbox.paypal.createApprovedOrder({ amount: 100, currency: 'eur', custom_id: 'event:x' }).id,
      );
    const found = await listUndelivered(since);
    const ids = found
      .map(({ content }) => (content as { orderId?: string }).orderId)
      .filter((id) => orders.has(id ?? ''));
    expect(new Set(ids)).toEqual(orders);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    expect(await listUndelivered(new Date(Date.now() + 60_000))).toEqual([]);
  });

  it("the sandbox finds errors in requests with PayPal's API descriptions", async () => {
    const judged = () => sandbox.referee.judged()['POST /v2/checkout/orders'] ?? 0;
    await paypal.createPayment(request());
    expect(sandbox.referee.violations('request')).toEqual([]);
    const before = judged();
    const wrong = paypal
      .bodyOf(request())
      .replace('"custom_id"', '"customid"')
      .replace('"25.00"', '"25,00"')
      .replace('NO_SHIPPING', 'NO SHIPPING');
    const refused = paypal.createPayment({ ...request(), body: wrong });
    await expect(refused).rejects.toThrow(ProviderRefusedError);
    expect(judged()).toBe(before + 1);
    const where = sandbox.referee.violations('request').map((violation) => violation.where);
    expect(where).toEqual(
      expect.arrayContaining([
        expect.stringContaining('customid'),
        expect.stringContaining('amount'),
        expect.stringContaining('shipping_preference'),
      ]),
    );
    sandbox.referee.clear();
  });

  describe('connection problems', () => {
    it.each(['reset', 'error', 'html'] as const)(
      'one fault (%s) is retried, and the order is made once',
      async (kind) => {
        for (const after of [false, true]) {
          sandbox.faults.add({ provider: 'paypal', operation: 'orders.create', kind, after });
          const before = sandbox.paypal.payments().length;
          await paypal.createPayment(request());
          expect(sandbox.paypal.payments()).toHaveLength(before + 1);
        }
      },
    );

    it.each(['reset', 'error', 'html', 'rate_limit', 'huge', 'hang'] as const)(
      'a lasting fault (%s) leaves the outcome open',
      async (kind) => {
        const small = { timeoutMs: 800, retryDelaysMs: [5], maxBytes: 100_000 };
        const hurried = provider({}, small);
        sandbox.faults.add({ provider: 'paypal', operation: 'orders.create', kind, times: 0 });
        await expect(hurried.createPayment(request())).rejects.toThrow(ProviderUnavailableError);
      },
    );

    it('renews a withdrawn access token once for all waiting requests', async () => {
      await paypal.createPayment(request());
      sandbox.paypal.revokeTokens();
      sandbox.faults.add({ provider: 'paypal', operation: 'oauth.token', kind: 'error', times: 0, skip: 1 });
      const all = await Promise.all(Array.from({ length: 10 }, () => paypal.createPayment(request())));
      expect(new Set(all.map(({ paymentId }) => paymentId)).size).toBe(10);
    });

    it('wrong credentials make the provider unavailable and do not refuse the donation', async () => {
      const locked = provider({ clientSecret: 'wrong' });
      await expect(locked.createPayment(request())).rejects.toThrow(ProviderUnavailableError);
    });
  });
});

/** Simulates a PayPal that has deleted all idempotency keys, as it does after 45 days. */
class ForgetfulClient extends PayPalClient {
  override post: PayPalClient['post'] = (path, body, schema, requestId) =>
    super.post(path, body, schema, requestId === undefined ? undefined : `${requestId}:again`);
}
