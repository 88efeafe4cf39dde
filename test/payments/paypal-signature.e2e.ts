import { generateKeyPairSync, sign } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  type CertificateKind,
  signingMaterial,
  type SigningMaterial,
} from '../../sandbox/paypal/certificates.js';
import { startSandbox } from '../../sandbox/server/sandbox.js';
import { newId } from '../../src/common/crypto/ids.js';
import type { PayPalConfig } from '../../src/payments/providers/paypal/paypal-environment.js';
import { parsePem, verifyChain } from '../../src/payments/providers/paypal/certificate-chain.js';
import { certificateSource } from '../../src/payments/providers/paypal/paypal-certificates.js';
import { PayPalClient } from '../../src/payments/providers/paypal/paypal-client.js';
import { PayPalSignature, signedText } from '../../src/payments/providers/paypal/paypal-signature.js';
import { PayPalProvider } from '../../src/payments/providers/paypal/paypal.provider.js';

const HOUR = 3_600_000;
const BODY = Buffer.from('{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}');
const NAME = 'messageverificationcerts.sandbox.paypal.com';
const REFUSED = { code: 'WEBHOOK_SIGNATURE_INVALID', status: 400 };
const UNAVAILABLE = { code: 'PROVIDER_UNAVAILABLE' };

let material: SigningMaterial;
beforeAll(async () => {
  Logger.overrideLogger(false);
  material = await signingMaterial();
});

describe('offline check of a PayPal webhook signature', () => {
  let server: Server;
  let base: string;
  let fetched: string[];
  /** Writes the response to requests for the certificate. Each test may replace this function. */
  let answer: (response: ServerResponse, kind: string) => void;
  let now: number;
  let checker: PayPalSignature;
  const caFile = join(tmpdir(), `paypal-signature-ca-${newId()}.pem`);

  const serve = (response: ServerResponse, kind: string) => {
    const signer = material.signers[kind as CertificateKind] as { chainPem: string } | undefined;
    response.writeHead(signer ? 200 : 404).end(signer?.chainPem);
  };

  beforeAll(async () => {
    writeFileSync(caFile, material.caPem);
    server = createServer((request, response) => {
      fetched.push(request.url ?? '');
      answer(response, request.url?.split('/').at(-1) ?? '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });

  beforeEach(() => {
    fetched = [];
    answer = serve;
    now = Date.now();
    checker = checkerFor();
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(caFile, { force: true });
  });

  const checkerFor = (overrides: Partial<PayPalConfig> = {}) => {
    const config: PayPalConfig = {
      clientId: 'client',
      clientSecret: 'secret',
      webhookId: 'WEBHOOK1',
      apiUrl: new URL(base),
      verification: 'offline',
      caFile,
      ...overrides,
    };
    return new PayPalSignature(config, new PayPalClient(config), () => now);
  };

  const headers = (
    options: { body?: Buffer; kind?: CertificateKind; time?: string; url?: string; webhookId?: string } = {},
  ): Record<string, string> => {
    const { body = BODY, kind = 'good', webhookId = 'WEBHOOK1' } = options;
    const id = 'b2384410-f8d2-11e4-8bf3-77339302725b';
    const time = options.time ?? new Date(now).toISOString();
    const signature = sign(
      'sha256',
      Buffer.from(signedText({ id, time }, webhookId, body)),
      material.signers[kind].privateKey,
    );
    return {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': signature.toString('base64'),
      'paypal-cert-url': options.url ?? `${base}/v1/notifications/certs/${kind}`,
      'paypal-auth-algo': 'SHA256withRSA',
    };
  };

  const check = (given = headers(), body = BODY) => checker.verify(body, given);

  it('accepts a valid message and fetches its certificate once', async () => {
    await Promise.all([check(), check(), check()]);
    await check();
    expect(fetched).toEqual(['/v1/notifications/certs/good']);
  });

  it('the signature covers the CRC32 of the body as an unsigned decimal', () => {
    // The checksum 0xCBF43926 would be negative as a signed number.
    const text = signedText({ id: 'i', time: 't' }, 'w', Buffer.from('123456789'));
    expect(text).toBe('i|t|w|3421780262');
  });

  it('rejects another body, another webhook and another key', async () => {
    await expect(check(headers(), Buffer.from(`${BODY.toString()} `))).rejects.toMatchObject(REFUSED);
    await expect(check(headers({ webhookId: 'WEBHOOK2' }))).rejects.toMatchObject(REFUSED);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const forged = sign('sha256', Buffer.from('x'), privateKey).toString('base64');
    await expect(check({ ...headers(), 'paypal-transmission-sig': forged })).rejects.toMatchObject(REFUSED);
  });

  it('rejects a change of any signed header', async () => {
    const other = {
      'paypal-transmission-id': 'x',
      'paypal-transmission-time': new Date(now - 1000).toISOString(),
    };
    for (const [name, value] of Object.entries(other))
      await expect(check({ ...headers(), [name]: value })).rejects.toMatchObject(REFUSED);
  });

  it.each(['expired', 'wrong-name', 'untrusted'] as const)(
    'rejects a certificate that is %s',
    async (kind) => {
      await expect(check(headers({ kind }))).rejects.toMatchObject(REFUSED);
    },
  );

  it('rejects a valid certificate of an authority that is not trusted', async () => {
    checker = checkerFor({ caFile: undefined });
    await expect(check()).rejects.toMatchObject(REFUSED);
  });

  it('rejects another algorithm with any signature', async () => {
    for (const algorithm of ['SHA1withRSA', 'none', 'SHA256withECDSA', 'sha256withrsa'])
      await expect(check({ ...headers(), 'paypal-auth-algo': algorithm })).rejects.toMatchObject(REFUSED);
  });

  it('rejects missing, doubled and malformed headers before any request', async () => {
    for (const name of Object.keys(headers())) {
      const { [name]: _left, ...rest } = headers();
      await expect(check(rest)).rejects.toMatchObject(REFUSED);
      await expect(checker.verify(BODY, { ...headers(), [name]: ['a', 'b'] })).rejects.toMatchObject(REFUSED);
    }
    await expect(check({ ...headers(), 'paypal-transmission-sig': 'not base64!' })).rejects.toMatchObject(
      REFUSED,
    );
    await expect(check({ ...headers(), 'paypal-transmission-time': 'yesterday' })).rejects.toMatchObject(
      REFUSED,
    );
    expect(fetched).toEqual([]);
  });

  it("accepts messages from the period of PayPal's repeats, and no older or future messages", async () => {
    const at = (hours: number) => headers({ time: new Date(now + hours * HOUR).toISOString() });
    await check(at(-72));
    await check(headers({ time: `${new Date(now).toISOString().slice(0, 19)}Z` }));
    await check(headers({ time: `${new Date(now).toISOString().slice(0, 19)}+00:00` }));
    await expect(check(at(-79))).rejects.toMatchObject(REFUSED);
    await expect(check(at(1))).rejects.toMatchObject(REFUSED);
  });

  it('the check downloads certificates only from the allowed host', async () => {
    const port = new URL(base).port;
    for (const url of [
      `http://169.254.169.254/v1/notifications/certs/good`,
      `http://example.com:${port}/v1/notifications/certs/good`,
      `http://127.0.0.1:1/v1/notifications/certs/good`,
      `http://x@127.0.0.1:${port}/v1/notifications/certs/good`,
      `${base}/v1/notifications/certs/good?x=1`,
      `${base}/v1/notifications/certs/../../secret`,
      `${base}/v1/notifications/certs/a/b`,
      'file:///etc/passwd',
      'not-a-url',
    ])
      await expect(check(headers({ url }))).rejects.toMatchObject(REFUSED);
    expect(fetched).toEqual([]);
  });

  it('the certificate download follows no redirect', async () => {
    answer = (response, kind) => {
      if (kind === 'good') serve(response, kind);
      else response.writeHead(302, { Location: `${base}/v1/notifications/certs/good` }).end();
    };
    await expect(check(headers({ url: `${base}/v1/notifications/certs/moved` }))).rejects.toMatchObject(
      REFUSED,
    );
    expect(fetched).toEqual(['/v1/notifications/certs/moved']);
  });

  it('rejects a huge file and a file without a certificate', async () => {
    answer = (response) => response.end(material.signers.good.chainPem.repeat(100));
    await expect(check()).rejects.toMatchObject(REFUSED);
    checker = checkerFor();
    answer = (response) => response.end('<html></html>');
    await expect(check()).rejects.toMatchObject(REFUSED);
    checker = checkerFor();
    answer = (response) => response.end('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----');
    await expect(check()).rejects.toMatchObject(REFUSED);
  });

  it('does not repeat requests to an address without a certificate', async () => {
    const unknown = () => check(headers({ url: `${base}/v1/notifications/certs/unknown` }));
    await expect(unknown()).rejects.toMatchObject(REFUSED);
    await expect(unknown()).rejects.toMatchObject(REFUSED);
    expect(fetched).toHaveLength(1);
    await check();
  });

  it('answers "later" while the certificate is unavailable, and recovers', async () => {
    for (const status of [500, 503, 429]) {
      answer = (response) => response.writeHead(status).end();
      await expect(check()).rejects.toMatchObject(UNAVAILABLE);
    }
    answer = (response) => response.destroy();
    await expect(check()).rejects.toMatchObject(UNAVAILABLE);
    answer = serve;
    await check();
    checker = checkerFor({ caFile: '/nonexistent/ca.pem' });
    await expect(check()).rejects.toMatchObject(UNAVAILABLE);
  });

  it('the check keeps no certificate after its expiry', async () => {
    await check();
    now += 400 * 24 * HOUR;
    await expect(check()).rejects.toMatchObject(REFUSED);
  });
});

describe('allowed certificate addresses', () => {
  const allowed = (apiUrl: string, url: string) => certificateSource(new URL(apiUrl)).allows(new URL(url));
  const path = '/v1/notifications/certs/CERT-360caa42-fca2a594-7a8abba8';

  it.each([
    ['https://api-m.paypal.com', `https://api.paypal.com${path}`, true],
    ['https://api-m.paypal.com', `https://api-m.paypal.com${path}`, true],
    ['https://api-m.sandbox.paypal.com', `https://api.sandbox.paypal.com${path}`, true],
    ['https://api-m.paypal.com', `https://api.sandbox.paypal.com${path}`, false],
    ['https://api-m.sandbox.paypal.com', `https://api.paypal.com${path}`, false],
    ['https://api-m.paypal.com', `http://api.paypal.com${path}`, false],
    ['https://api-m.paypal.com', `https://api.paypal.com:8443${path}`, false],
    ['https://api-m.paypal.com', `https://api.paypal.com.example.org${path}`, false],
    ['https://api-m.paypal.com', `https://www.paypal.com${path}`, false],
    ['https://api-m.paypal.com', `http://127.0.0.1:4010${path}`, false],
    ['https://paypal.example.org', `https://paypal.example.org${path}`, true],
    ['https://paypal.example.org', `https://api.paypal.com${path}`, false],
    ['http://paypal.example.org', `http://paypal.example.org${path}`, false],
    ['http://localhost:4010', `http://127.0.0.1:4010${path}`, true],
    ['http://localhost:4010', `http://127.0.0.1:4011${path}`, false],
  ])('with the API %s, the certificate address %s is allowed: %s', (apiUrl, url, expected) => {
    expect(allowed(apiUrl, url)).toBe(expected);
  });

  it('expects the certificate name of the same environment', () => {
    expect(certificateSource(new URL('https://api-m.paypal.com')).names).toEqual([
      'messageverificationcerts.paypal.com',
    ]);
    expect(certificateSource(new URL('https://api-m.sandbox.paypal.com')).names).toEqual([NAME]);
  });
});

describe('certificate chain', () => {
  it('a certificate chain leads from the signer, in first place, to a trusted anchor', () => {
    const { signers, caPem } = material;
    const anchors = parsePem(caPem);
    const [leaf] = parsePem(signers.good.chainPem);
    if (!leaf) throw new Error('the signer is missing');
    const verified = (chain = [leaf], trusted = anchors, names = [NAME]) =>
      verifyChain(chain, trusted, names, Date.now());
    expect(verified().validUntil).toBe(Date.parse(leaf.validTo));
    expect(() => verified([leaf], [])).toThrow('no chain');
    // The certificate of an authority must not sign messages. The certificate of a signer must not sign other certificates.
    expect(() => verified(anchors)).toThrow('authority');
    expect(() => verified([leaf], [leaf])).toThrow('no chain');
    expect(() => verified([leaf], anchors, ['messageverificationcerts.paypal.com'])).toThrow('another name');
    expect(() => verified([leaf], anchors, ['paypal.com'])).toThrow('another name');
    expect(() => parsePem(signers.good.chainPem.repeat(5))).toThrow('no certificate chain');
  });
});

describe('a forged body with the same CRC32', () => {
  const path = join(tmpdir(), `paypal-collision-ca-${newId()}.pem`);
  afterEach(() => {
    rmSync(path, { force: true });
  });

  it('a forged body with the same CRC32 passes the check, but the server books only the answer of PayPal', async () => {
    const sandbox = await startSandbox({
      stripe: { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' },
      paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK1' },
    });
    try {
      writeFileSync(path, sandbox.paypal.caPem);
      const config: PayPalConfig = {
        clientId: 'client',
        clientSecret: 'secret',
        webhookId: 'WEBHOOK1',
        apiUrl: new URL(sandbox.url),
        verification: 'offline',
        caFile: path,
      };
      const paypal = new PayPalProvider(config, 'https://give.example.org');
      sandbox.paypal.createCapturedOrder({ amount: 100, currency: 'eur', custom_id: 'event:gala' });
      const event = sandbox.paypal
        .events()
        .find(({ event_type: type }) => type === 'PAYMENT.CAPTURE.COMPLETED');
      const genuine = JSON.stringify(event);
      const forged = collide(genuine.replaceAll('"1.00"', '"100000.00"'), crc32(Buffer.from(genuine)));
      expect(forged).not.toBe(genuine);
      const headers = sandbox.paypal.signatureHeaders(genuine);
      const webhookEvent = await paypal.readWebhook(Buffer.from(forged), headers);
      expect(await paypal.factsOf(webhookEvent)).toMatchObject([
        { kind: 'paid', amount: 100n, currency: 'eur' },
      ]);
    } finally {
      await sandbox.close();
    }
  });
});

/**
 * Adds a field to a JSON object so that the CRC32 of the text becomes `wanted`. The checksum is linear: one changed bit of the
 * text always changes the same bits of the checksum. So 32 equations give the bits to change.
 */
function collide(json: string, wanted: number): string {
  const text = Buffer.from(`{"pad":"${'b'.repeat(48)}",${json.slice(1)}`);
  const start = text.indexOf('b'.repeat(48));
  const checksum = crc32(text);
  const rows: { effect: number; positions: Set<number> }[] = [];
  for (let at = start; at < start + 48; at += 1) {
    let effect = withSwitched(text, [at], () => (crc32(text) ^ checksum) >>> 0);
    let positions = new Set([at]);
    for (const row of rows) {
      if (Math.clz32(effect) !== Math.clz32(row.effect)) continue;
      effect = (effect ^ row.effect) >>> 0;
      positions = symmetricDifference(positions, row.positions);
    }
    if (effect !== 0) rows.push({ effect, positions });
    rows.sort((a, b) => Math.clz32(a.effect) - Math.clz32(b.effect));
  }
  let missing = (checksum ^ wanted) >>> 0;
  let switches = new Set<number>();
  for (const row of rows)
    if (missing !== 0 && Math.clz32(missing) === Math.clz32(row.effect)) {
      missing = (missing ^ row.effect) >>> 0;
      switches = symmetricDifference(switches, row.positions);
    }
  if (missing !== 0) throw new Error('no collision found');
  return withSwitched(text, [...switches], () => text.toString());
}

/** Changes the letters `b` and `c` at these positions, whose lowest bit differs, during `run`. */
function withSwitched<T>(text: Buffer, positions: readonly number[], run: () => T): T {
  const flip = () => {
    for (const at of positions) text[at] = (text[at] ?? 0) ^ 1;
  };
  flip();
  const result = run();
  flip();
  return result;
}

function symmetricDifference(a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> {
  return new Set([...a, ...b].filter((one) => a.has(one) !== b.has(one)));
}
