import { expect, it } from '@jest/globals';
import { sendWebhook } from '../../src/webhooks/sending/webhook-request.js';
import { withOpened } from '../support/setup.js';
import { answers, WebhookReceiver } from '../support/webhook-receiver.js';

const listener = withOpened(() => WebhookReceiver.start());

/** In production, with the port of the listener opened. */
const send = (host: string, names: Readonly<Record<string, readonly string[]>> = {}) =>
  sendWebhook(
    { url: `https://${host}:${listener.port}/hook`, body: '{}', headers: {}, keepsAnswer: true },
    { production: true, ports: [listener.port], privateNetworks: [] },
    2_000,
    (name) => Promise.resolve(names[name] ?? []),
  );

const WRITTEN = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '017700000001',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:0:0:0:0:80ff:fffe]',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST',
  '①②⑦.0.0.1',
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.example.org': ['127.0.0.1'],
  'loopback6.example.org': ['::1'],
  'mapped.example.org': ['::ffff:127.0.0.1'],
  'mixed.example.org': ['93.184.215.14', '127.0.0.1'],
  'nothing.example.org': [],
};

it.each([...WRITTEN, ...Object.keys(NAMES)])('a webhook to %s makes no connection', async (host) => {
  const answer = await send(host, NAMES);
  expect(answer).toMatchObject({ isSuccess: false, status: null });
  expect(answer.error).toMatch(/^The (address|name) /);
  expect(listener.connections).toBe(0);
});

it('a webhook to a name that leads to this machine after the check makes no connection', async () => {
  let looks = 0;
  const answer = await sendWebhook(
    { url: `https://rebinding.example.org:${listener.port}/`, body: '{}', headers: {}, keepsAnswer: true },
    { production: true, ports: [listener.port], privateNetworks: [] },
    500,
    () => Promise.resolve(looks++ === 0 ? ['93.184.215.14'] : ['127.0.0.1']),
  );
  expect(answer.isSuccess).toBe(false);
  expect(looks).toBe(1);
  expect(listener.connections).toBe(0);
});

it('a redirect to this machine makes no connection', async () => {
  const redirecting = await WebhookReceiver.start();
  redirecting.behaviour = answers(307, { location: listener.url });
  const answer = await sendWebhook(
    { url: redirecting.url, body: '{}', headers: {}, keepsAnswer: true },
    { production: false, ports: [], privateNetworks: [] },
    2_000,
  );
  await redirecting.close();
  expect(answer).toMatchObject({ isSuccess: false, status: 307 });
  expect(listener.connections).toBe(0);
});

it('proxy variables of the environment have no effect', async () => {
  const receiver = await WebhookReceiver.start();
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
  for (const name of names) process.env[name] = listener.url;
  try {
    const answer = await sendWebhook(
      { url: receiver.url, body: '{}', headers: {}, keepsAnswer: true },
      { production: false, ports: [], privateNetworks: [] },
      2_000,
    );
    expect(answer).toMatchObject({ isSuccess: true, status: 204 });
    expect(listener.connections).toBe(0);
  } finally {
    for (const name of names) Reflect.deleteProperty(process.env, name);
    await receiver.close();
  }
});
