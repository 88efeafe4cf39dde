import { createVerify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../server/sandbox.js';
import { PayPalClient, startTestSandbox } from '../testing/clients.js';
import { type Received, Receiver } from '../testing/receiver.js';

const SIGNER = 'messageverificationcerts.sandbox.paypal.com';

describe('the PayPal sandbox', () => {
  let sandbox: Sandbox;
  let paypal: PayPalClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    sandbox = await startTestSandbox(receiver.url);
    paypal = new PayPalClient(sandbox.url);
    await paypal.signIn();
  });

  afterEach(async () => {
    sandbox.faults.clear();
    await sandbox.settled();
    receiver.reset();
  });

  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const order = (value = '25.00', currency = 'EUR') => ({
    intent: 'CAPTURE',
    purchase_units: [{ custom_id: 'd-1', amount: { currency_code: currency, value } }],
  });

  const approvedOrder = async () => {
    const { body } = await paypal.post('/v2/checkout/orders', order());
    sandbox.paypal.approve(String(body.id));
    return String(body.id);
  };

  const capturedOrder = async () => {
    const id = await approvedOrder();
    const { body } = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    return { id, captureId: sandbox.paypal.captureOf(id).id, body };
  };

  /** Checks a signature as a receiver does, without a request to PayPal's check. */
  const verified = async ({ headers, body }: Received): Promise<boolean> => {
    const response = await fetch(headers['paypal-cert-url'] ?? '');
    const [leaf = '', authority = ''] = (await response.text()).split(/(?<=-----END CERTIFICATE-----\n)/);
    const certificate = new X509Certificate(leaf);
    const trusted = new X509Certificate(sandbox.paypal.caPem);
    const inTime = new Date(certificate.validTo) > new Date();
    if (authority === '' || !certificate.verify(trusted.publicKey) || !certificate.checkIssued(trusted))
      return false;
    if (certificate.checkHost(SIGNER) === undefined || !inTime || !trusted.ca || certificate.ca) return false;
    const text = [
      headers['paypal-transmission-id'],
      headers['paypal-transmission-time'],
      sandbox.paypal.webhookId,
      String(crc32(Buffer.from(body))),
    ].join('|');
    const signature = headers['paypal-transmission-sig'] ?? '';
    return createVerify('sha256').update(text).verify(certificate.publicKey, signature, 'base64');
  };

  it('refuses wrong credentials and calls without a token', async () => {
    await expect(new PayPalClient(sandbox.url, 'client', 'wrong').signIn()).rejects.toThrow('401');
    const { status, body } = await new PayPalClient(sandbox.url).get('/v2/checkout/orders/X');
    expect(status).toBe(401);
    expect(body).toMatchObject({ name: 'AUTHENTICATION_FAILURE' });
  });

  it('creates, approves and captures an order', async () => {
    const created = await paypal.post('/v2/checkout/orders', order());
    expect(created.status).toBe(201);
    const links = created.body.links as { rel: string; href: string }[];
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'approve', 'update', 'capture']);
    const id = String(created.body.id);

    const early = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    expect(early.status).toBe(422);
    expect(early.body).toMatchObject({
      name: 'UNPROCESSABLE_ENTITY',
      details: [{ issue: 'ORDER_NOT_APPROVED' }],
    });

    sandbox.paypal.approve(id);
    const captured = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    expect(captured.status).toBe(201);
    expect(captured.body).toMatchObject({
      status: 'COMPLETED',
      purchase_units: [
        { payments: { captures: [{ status: 'COMPLETED', custom_id: 'd-1', amount: { value: '25.00' } }] } },
      ],
    });

    const again = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    expect(again.body).toMatchObject({ details: [{ issue: 'ORDER_ALREADY_CAPTURED' }] });
    await sandbox.settled();
    expect(receiver.types()).toEqual(
      expect.arrayContaining([
        'CHECKOUT.ORDER.APPROVED',
        'PAYMENT.CAPTURE.COMPLETED',
        'CHECKOUT.ORDER.COMPLETED',
      ]),
    );
  });

  it('signs webhooks that the offline check and its own endpoint accept', async () => {
    await capturedOrder();
    await sandbox.settled();
    const message = receiver.find('PAYMENT.CAPTURE.COMPLETED');
    expect(await verified(message)).toBe(true);
    expect(await verified({ ...message, body: message.body.replace('25.00', '26.00') })).toBe(false);
    const request = (event: unknown) => ({
      auth_algo: message.headers['paypal-auth-algo'],
      cert_url: message.headers['paypal-cert-url'],
      transmission_id: message.headers['paypal-transmission-id'],
      transmission_sig: message.headers['paypal-transmission-sig'],
      transmission_time: message.headers['paypal-transmission-time'],
      webhook_id: sandbox.paypal.webhookId,
      webhook_event: event,
    });
    const path = '/v1/notifications/verify-webhook-signature';
    const event = JSON.parse(message.body) as Record<string, unknown>;
    expect((await paypal.post(path, request(event))).body).toEqual({ verification_status: 'SUCCESS' });
    const forged = request({ ...event, summary: 'x' });
    expect((await paypal.post(path, forged)).body).toEqual({ verification_status: 'FAILURE' });
  });

  it.each(['expired', 'wrong-name', 'untrusted'] as const)(
    'can sign with an %s certificate',
    async (kind) => {
      sandbox.paypal.useCertificate(kind);
      await approvedOrder();
      await sandbox.settled();
      sandbox.paypal.useCertificate('good');
      expect(await verified(receiver.find('CHECKOUT.ORDER.APPROVED'))).toBe(false);
    },
  );

  describe('refusals', () => {
    it.each([
      [{ currency_code: 'EUR', value: '1.234' }, 422, 'DECIMAL_PRECISION'],
      [{ currency_code: 'JPY', value: '100.5' }, 422, 'DECIMAL_PRECISION'],
      [{ currency_code: 'EUR', value: '0.00' }, 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
      [{ currency_code: 'EUR', value: '-1.00' }, 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
      [{ currency_code: 'KWD', value: '1.00' }, 422, 'INVALID_CURRENCY_CODE'],
      [{ currency_code: 'EUR', value: '1e3' }, 400, 'INVALID_PARAMETER_SYNTAX'],
      [{ currency_code: 'EUR', value: 12 }, 400, 'INVALID_PARAMETER_SYNTAX'],
      [{ currency_code: 'EUR' }, 400, 'MISSING_REQUIRED_PARAMETER'],
    ])('refuses an order with the amount %j', async (amount, status, issue) => {
      const reply = await paypal.post('/v2/checkout/orders', {
        intent: 'CAPTURE',
        purchase_units: [{ amount }],
      });
      expect(reply.status).toBe(status);
      expect(reply.body).toMatchObject({ details: [{ issue }], debug_id: expect.any(String) });
    });

    it('refuses refunds above the capture, in another currency, of a pending capture, or after a full refund', async () => {
      const { captureId } = await capturedOrder();
      const path = `/v2/payments/captures/${captureId}/refund`;
      const issueOf = async (body: unknown) => (await paypal.post(path, body)).body.details;
      const euros = (value: string) => ({ amount: { currency_code: 'EUR', value } });
      expect(await issueOf(euros('25.01'))).toMatchObject([{ issue: 'REFUND_AMOUNT_EXCEEDED' }]);
      const dollars = { amount: { currency_code: 'USD', value: '1.00' } };
      expect(await issueOf(dollars)).toMatchObject([{ issue: 'REFUND_CAPTURE_CURRENCY_MISMATCH' }]);
      expect((await paypal.post(path, euros('5.00'))).status).toBe(201);
      expect(sandbox.paypal.captureOf(captureId).status).toBe('PARTIALLY_REFUNDED');
      expect((await paypal.post(path, {})).status).toBe(201);
      expect(await issueOf({})).toMatchObject([{ issue: 'CAPTURE_FULLY_REFUNDED' }]);

      const pending = await approvedOrder();
      sandbox.paypal.capture(pending, { pending: true });
      const refund = `/v2/payments/captures/${sandbox.paypal.captureOf(pending).id}/refund`;
      expect((await paypal.post(refund, {})).body.details).toMatchObject([{ issue: 'PENDING_CAPTURE' }]);
    });

    it('refuses unknown and deleted orders', async () => {
      const id = await approvedOrder();
      sandbox.paypal.forget(id);
      const { status, body } = await paypal.get(`/v2/checkout/orders/${id}`);
      expect([status, body.name]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    });
  });

  it('declines a capture and lets the donor retry the order', async () => {
    const id = await approvedOrder();
    sandbox.paypal.onCapture(id, { outcome: 'decline' });
    const declined = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    expect([declined.status, declined.body.details]).toMatchObject([422, [{ issue: 'INSTRUMENT_DECLINED' }]]);
    sandbox.paypal.onCapture(id, { outcome: 'complete' });
    expect((await paypal.post(`/v2/checkout/orders/${id}/capture`, {})).status).toBe(201);
  });

  it.each([
    ['complete', 'COMPLETED', 'PAYMENT.CAPTURE.COMPLETED', 2500],
    ['deny', 'DECLINED', 'PAYMENT.CAPTURE.DENIED', 0],
  ] as const)('keeps a capture pending until the control "%s" ends it', async (end, status, type, held) => {
    const id = await approvedOrder();
    sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind: 'pending' });
    const { body } = await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    expect(body).toMatchObject({ purchase_units: [{ payments: { captures: [{ status: 'PENDING' }] } }] });
    if (end === 'complete') sandbox.paypal.completeCapture(id);
    else sandbox.paypal.denyCapture(id);
    await sandbox.settled();
    expect(receiver.types()).toEqual(expect.arrayContaining(['PAYMENT.CAPTURE.PENDING', type]));
    expect(sandbox.paypal.captureOf(id).status).toBe(status);
    expect(sandbox.paypal.payments().find((payment) => payment.id === id)?.held).toBe(held);
  });

  it('returns the current object for a repeated request id', async () => {
    const headers = { 'paypal-request-id': 'order:1' };
    const first = await paypal.post('/v2/checkout/orders', order(), headers);
    const id = String(first.body.id);
    sandbox.paypal.approve(id);
    const again = await paypal.post('/v2/checkout/orders', order(), headers);
    expect([again.status, again.body.id, again.body.status]).toEqual([200, id, 'APPROVED']);
    const other = await paypal.post('/v2/checkout/orders', order('26.00'), headers);
    expect(other.body.details).toMatchObject([{ issue: 'DUPLICATE_REQUEST_ID' }]);

    const capture = () => paypal.post(`/v2/checkout/orders/${id}/capture`, {}, headers);
    expect((await capture()).status).toBe(201);
    expect((await capture()).status).toBe(200);
    const path = `/v2/payments/captures/${sandbox.paypal.captureOf(id).id}/refund`;
    const part = { amount: { currency_code: 'EUR', value: '1.00' } };
    const [one, two] = [await paypal.post(path, part, headers), await paypal.post(path, part, headers)];
    expect(two.body.id).toBe(one.body.id);
    expect(sandbox.paypal.refundsOf(id)).toHaveLength(1);
  });

  it('announces refunds and reversals by a refund that links to its capture', async () => {
    const { captureId } = await capturedOrder();
    sandbox.paypal.refund(captureId, { amount: 500 });
    const { id: reversal } = sandbox.paypal.reverse(captureId);
    await sandbox.settled();
    expect(receiver.types()).toContain('PAYMENT.CAPTURE.REFUNDED');
    const { resource } = JSON.parse(receiver.find('PAYMENT.CAPTURE.REVERSED').body) as {
      resource: { id: string; links: { rel: string; href: string }[] };
    };
    expect(resource.id).toBe(reversal);
    const up = resource.links.find(({ rel }) => rel === 'up')?.href;
    expect(up).toBe(`${sandbox.url}/v2/payments/captures/${captureId}`);
    expect(sandbox.paypal.payments().at(-1)).toMatchObject({
      paid: 2500,
      refunded: 500,
      reversed: 2000,
      held: 0,
    });
  });

  it('fails a pending refund without a webhook; only a request shows it', async () => {
    const { captureId } = await capturedOrder();
    await sandbox.settled();
    receiver.reset();
    const { id } = sandbox.paypal.refund(captureId, { pending: true });
    expect(sandbox.paypal.failRefund(id).status).toBe('FAILED');
    await sandbox.settled();
    expect(receiver.messages).toEqual([]);
    expect((await paypal.get(`/v2/payments/refunds/${id}`)).body.status).toBe('FAILED');
    expect(sandbox.paypal.captureOf(captureId).status).toBe('COMPLETED');
  });

  it('lists its events by time and type, page by page, and resends one', async () => {
    await capturedOrder();
    await sandbox.settled();
    receiver.reset();
    const path = '/v1/notifications/webhooks-events';
    const { body } = await paypal.get(`${path}?page_size=1&event_type=PAYMENT.CAPTURE.COMPLETED`);
    const [event] = body.events as { id: string }[];
    expect(body.count).toBe(1);
    const next = (body.links as { rel: string; href: string }[]).find(({ rel }) => rel === 'next');
    const second = await paypal.get((next?.href ?? '').slice(sandbox.url.length));
    expect((second.body.events as { id: string }[])[0]?.id).not.toBe(event?.id);
    const future = new Date(Date.now() + 60_000).toISOString();
    expect((await paypal.get(`${path}?start_time=${future}`)).body).toMatchObject({ events: [], count: 0 });

    expect((await paypal.post(`${path}/${event?.id ?? ''}/resend`, {})).status).toBe(202);
    await sandbox.settled();
    expect(receiver.types()).toEqual(['PAYMENT.CAPTURE.COMPLETED']);
  });

  it('refuses a revoked token', async () => {
    const other = new PayPalClient(sandbox.url);
    await other.signIn();
    sandbox.paypal.revokeTokens();
    expect((await other.get('/v2/checkout/orders/X')).status).toBe(401);
    await paypal.signIn();
  });
});
