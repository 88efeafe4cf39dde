import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PayPalClient } from '../../src/payments/providers/paypal/paypal-client.js';
import type { PayPalConfig } from '../../src/payments/providers/paypal/paypal-environment.js';
import { PayPalSignature } from '../../src/payments/providers/paypal/paypal-signature.js';

const BODY = Buffer.from('{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}');

describe('forged webhook events in the name of PayPal', () => {
  let server: Server;
  let base: string;
  let asked: string[];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('Content-Type', 'application/json');
      if (request.url?.endsWith('/token')) response.end('{"access_token":"t","expires_in":3600}');
      else if (request.url?.includes('verify-webhook')) response.end('{"verification_status":"FAILURE"}');
      else response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    asked = [];
  });

  const checker = (verification: PayPalConfig['verification']) => {
    const config: PayPalConfig = {
      clientId: 'client',
      clientSecret: 'secret',
      webhookId: 'WEBHOOK1',
      apiUrl: new URL(base),
      verification,
      caFile: undefined,
      merchantId: undefined,
    };
    return new PayPalSignature(config, new PayPalClient(config));
  };
  const forged = (url: string) => ({
    'paypal-transmission-id': 'b2384410-f8d2-11e4-8bf3-77339302725b',
    'paypal-transmission-time': new Date().toISOString(),
    'paypal-transmission-sig': 'AAAA',
    'paypal-cert-url': url,
    'paypal-auth-algo': 'SHA256withRSA',
  });
  const verifications = () => asked.filter((path) => path.includes('verify-webhook')).length;

  it('a forged event with a certificate of another host causes no call to PayPal', async () => {
    for (const verification of ['offline', 'api'] as const)
      for (const host of [
        'https://evil.example',
        'http://169.254.169.254',
        'https://api.paypal.com.evil.example',
      ])
        await expect(
          checker(verification).verify(BODY, forged(`${host}/v1/notifications/certs/CERT-1`)),
        ).rejects.toMatchObject({ code: 'WEBHOOK_SIGNATURE_INVALID' });
    expect(asked).toEqual([]);
  });

  it('repeats of one forged event cause one call when PayPal checks the signature', async () => {
    const signature = checker('api');
    const headers = forged(`${base}/v1/notifications/certs/CERT-1`);
    for (let sent = 0; sent < 20; sent++)
      await expect(signature.verify(BODY, headers)).rejects.toMatchObject({
        code: 'WEBHOOK_SIGNATURE_INVALID',
      });
    expect(verifications()).toBe(1);
  });

  it('forged events with many certificate addresses cause only a few calls', async () => {
    const signature = checker('offline');
    for (let sent = 0; sent < 200; sent++)
      await signature
        .verify(BODY, forged(`${base}/v1/notifications/certs/CERT-${sent}`))
        .catch(() => undefined);
    expect(asked.length).toBeLessThanOrEqual(8);
  });
});
