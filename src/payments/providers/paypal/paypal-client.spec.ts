import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import * as z from 'zod';
import { MissingRightError, ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
import { PayPalClient } from './paypal-client.js';

const ANY = z.object({ ok: z.boolean() });

interface Seen {
  path: string;
  authorization: string | undefined;
  requestId: string | string[] | undefined;
}

describe('the PayPal client', () => {
  let server: Server;
  let seen: Seen[];
  let tokens: number;
  /** The answers, in the order of the calls. Further calls get the last answer. */
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let client: PayPalClient;

  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    (_request: IncomingMessage, response: ServerResponse) => {
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
  const refusal = (issue: string) => ({ name: 'UNPROCESSABLE_ENTITY', details: [{ issue }], debug_id: 'x' });
  const fine = json(200, { ok: true });

  beforeEach(async () => {
    Logger.overrideLogger(false);
    [seen, tokens, answers] = [[], 0, [fine]];
    server = createServer((request, response) => {
      const { authorization, 'paypal-request-id': requestId } = request.headers;
      if (request.url === '/base/v1/oauth2/token') {
        tokens += 1;
        json(200, { access_token: `T${String(tokens)}`, expires_in: 32_400 })(request, response);
        return;
      }
      seen.push({ path: request.url ?? '', authorization, requestId });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiUrl = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/base/`);
    const limits = { timeoutMs: 2_500, maxBytes: 1000, retryDelaysMs: [1, 1] };
    client = new PayPalClient({ apiUrl, clientId: 'id', clientSecret: 'secret' }, limits);
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('learns the right to accept payments from a request that changes a payment, not from a read', async () => {
    const said: string[] = [];
    client.rights.watch((right, isGiven) => said.push(`${right}: ${String(isGiven)}`));
    answers = [json(403, { name: 'NOT_AUTHORIZED' }), fine];
    await expect(client.post('/v2/payments/captures/1/refund', '{}', ANY, 'key-1')).rejects.toThrow(
      MissingRightError,
    );
    await client.get('/v2/payments/captures/1', ANY);
    expect(said).toEqual(['Accept payments: false']);
    await client.get('/v1/customer/disputes/1', ANY);
    await client.post('/v2/payments/captures/1/refund', '{}', ANY, 'key-1');
    expect(said.slice(1)).toEqual(['Customer disputes: true', 'Accept payments: true']);
  });

  const post = () => client.post('/x', '{}', ANY, 'key-1');

  it('uses one access token for all requests, below the base path', async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.get('/x', ANY)));
    expect(tokens).toBe(1);
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/base/x']));
  });

  it('fetches one new token after a refused token, then fails', async () => {
    answers = [json(401, { name: 'AUTHENTICATION_FAILURE' }), fine];
    await post();
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer T1', 'Bearer T2']);
    answers = [json(401, { name: 'AUTHENTICATION_FAILURE' })];
    await expect(post()).rejects.toThrow(ProviderUnavailableError);
    expect(seen).toHaveLength(4);
  });

  it('repeats a request that may have failed on the network, with the same key', async () => {
    answers = [
      json(500, {}),
      (_request, response) => {
        response.destroy();
      },
      fine,
    ];
    expect(await post()).toEqual({ ok: true });
    expect(seen.map(({ requestId }) => requestId)).toEqual(['key-1', 'key-1', 'key-1']);
  });

  it('waits for an earlier request that is still in progress', async () => {
    answers = [
      json(409, refusal('PREVIOUS_REQUEST_IN_PROGRESS')),
      json(422, refusal('ORDER_COMPLETION_IN_PROGRESS')),
      fine,
    ];
    expect(await post()).toEqual({ ok: true });
  });

  it('tries at most three times', async () => {
    answers = [json(503, {})];
    await expect(post()).rejects.toThrow(ProviderUnavailableError);
    expect(seen).toHaveLength(3);
  });

  it.each([
    ['429', json(429, { name: 'RATE_LIMIT_REACHED' })],
    ['a redirect', json(302, {}, { Location: 'http://127.0.0.1:9/' })],
    ['HTML', (_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end('<html></html>')],
    ['an unexpected shape', json(200, { ok: 'yes' })],
    ['too much', json(200, { ok: true, filler: 'x'.repeat(2000) })],
    ['silence', () => undefined],
    [
      'half an answer',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).write('{"ok":'),
    ],
  ])('reports an unknown outcome after %s, without a retry', async (_name, answer) => {
    answers = [answer];
    await expect(post()).rejects.toThrow(ProviderUnavailableError);
    expect(seen).toHaveLength(1);
  });

  it('reports the issue of a refusal, without a retry', async () => {
    answers = [json(422, refusal('ORDER_NOT_APPROVED'))];
    await expect(post()).rejects.toMatchObject({ reason: 'ORDER_NOT_APPROVED', status: 409 });
    expect(seen).toHaveLength(1);
    answers = [json(400, { name: 'INVALID_REQUEST', details: [] })];
    await expect(post()).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    answers = [json(403, { details: [{ issue: '<b>free text</b>' }] })];
    await expect(post()).rejects.toMatchObject({ reason: 'HTTP_403' });
  });

  it('returns undefined when it reads a missing object, and fails when it changes one', async () => {
    answers = [json(404, { name: 'RESOURCE_NOT_FOUND', details: [{ issue: 'INVALID_RESOURCE_ID' }] })];
    expect(await client.get('/x', ANY)).toBeUndefined();
    await expect(post()).rejects.toThrow(ProviderRefusedError);
  });

  it('keeps secrets out of its errors', async () => {
    answers = [json(500, {})];
    const error: unknown = await post().catch((thrown: unknown) => thrown);
    expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/secret|Bearer|T1/);
  });
});
