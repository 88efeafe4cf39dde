import { createVerify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sandbox } from './server.js';
import { PayPalClient, Receiver, startTestSandbox, type Received } from './testing.js';

const SIGNER = 'messageverificationcerts.sandbox.paypal.com';

describe('the PayPal side', () => {
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

  /** The offline check, as a receiver makes it. */
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

  it('gives no token for wrong credentials and no answer without a token', async () => {
    await expect(new PayPalClient(sandbox.url, 'client', 'wrong').signIn()).rejects.toThrow('401');
    const { status, body } = await new PayPalClient(sandbox.url).get('/v2/checkout/orders/X');
    expect(status).toBe(401);
    expect(body).toMatchObject({ name: 'AUTHENTICATION_FAILURE' });
  });

  it('takes an order from creation over approval to capture', async () => {
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

  it('signs webhooks so that both the offline check and its own endpoint accept them', async () => {
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
});
