import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { cookiesOf, createAdmin } from '../support/fixtures.js';
import {
  type ScriptedProvider,
  type SigningKey,
  signingKey,
  startScriptedProvider,
} from '../support/scripted-provider.js';
import { withMade, withOpened } from '../support/setup.js';

const CLIENT = 'donations';
const now = () => Math.floor(Date.now() / 1_000);

const database = withOpened(() => createTestDatabase());
const rsa = withMade(() => signingKey('RS256'), beforeAll);
const ec = withMade(() => signingKey('ES384'), beforeAll);
/** A key that the provider never publishes. */
const stranger = withMade(() => signingKey('RS256'), beforeAll);
let provider: ScriptedProvider;
let app: TestApp;
let email: string;

async function start() {
  provider = await startScriptedProvider();
  app = await startApp(
    {
      IDP_ISSUER: provider.issuer,
      IDP_CLIENT_ID: CLIENT,
      IDP_CLIENT_SECRET: 'client-Jd83kfLs02mVnq7Xz5Tb',
      IDP_CALLBACK_URL: 'http://127.0.0.1:4999/auth/idp/callback',
    },
    {},
    database.url,
  );
}

async function stop() {
  await app.close();
  await provider.stop();
}

// A first sign-in binds the account to an identity. So each test needs its own account.
beforeEach(async () => {
  ({ email } = await createAdmin({ databaseUrl: database.url }));
});

/** Sets the keys that the provider publishes from now on. */
function publish(...keys: SigningKey[]) {
  const body = JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) });
  provider.script.keySet = { status: 200, body };
}

interface Token {
  readonly claims?: JWTPayload;
  readonly header?: JWTHeaderParameters;
  readonly key?: SigningKey['privateKey'] | Uint8Array;
}

/** Runs a complete sign-in. `change` alters the ID token of the provider, which is valid without it. */
async function signIn(change: () => Token = () => ({}), begin = '/auth/idp'): Promise<Response> {
  const started = await app.http.get(begin).expect(302);
  const { searchParams } = new URL(started.headers.location ?? '');
  const nonce = searchParams.get('nonce') ?? '';
  const { claims, header = { alg: 'RS256' }, key = rsa.privateKey } = change();
  const good = { iss: provider.issuer, aud: CLIENT, sub: newId(), iat: now(), exp: now() + 300, nonce };
  provider.script.idToken = await new SignJWT({ ...good, email, email_verified: true, ...claims })
    .setProtectedHeader(header)
    .sign(key);
  return await app.http
    .get(`/auth/idp/callback?code=any&state=${searchParams.get('state') ?? ''}`)
    .set('Cookie', cookiesOf(started));
}
const outcome = ({ status, body }: Response) => ({ status, code: (body as { code?: string }).code });
const SIGNED_IN = { status: 200, code: undefined };
const REJECTED = { status: 401, code: 'IDP_REJECTED' };

describe("the identity provider's keys", () => {
  // Each test starts a new service, whose key cache is empty.
  beforeEach(async () => {
    await start();
    publish(rsa);
  });
  afterEach(stop);

  it('a key without an id verifies tokens that name no key', async () => {
    expect(rsa.publicJwk.kid).toBeUndefined();
    expect(outcome(await signIn())).toEqual(SIGNED_IN);
  });

  it('the keys are fetched once for many sign-ins', async () => {
    for (let count = 0; count < 3; count++) expect(outcome(await signIn())).not.toEqual(REJECTED);
    expect(provider.keyFetches()).toBe(1);
  });

  it('keys are selected by their id and their use', async () => {
    const named = { ...rsa, publicJwk: { ...rsa.publicJwk, kid: 'new' } };
    const encryption = { ...ec, publicJwk: { ...ec.publicJwk, kid: 'new', use: 'enc' } };
    publish(encryption, ec, named);
    expect(outcome(await signIn(() => ({ header: { alg: 'RS256', kid: 'new' } })))).toEqual(SIGNED_IN);
  });

  it('a token that names no key is refused if several keys could fit', async () => {
    publish(rsa, await signingKey('RS256'));
    expect(outcome(await signIn())).toEqual(REJECTED);
  });

  it('the keys are not fetched again for every token with an unknown key', async () => {
    await signIn();
    for (let count = 0; count < 5; count++)
      expect(outcome(await signIn(() => ({ header: { alg: 'RS256', kid: `forged-${count}` } })))).toEqual(
        REJECTED,
      );
    expect(provider.keyFetches()).toBe(1);
  });

  it.each([
    ['status 500', { status: 500, body: '{}' }],
    ['status 403', { status: 403, body: '{}' }],
    ['no key set', { status: 200, body: '{"keys":"none"}' }],
    ['invalid JSON', { status: 200, body: 'keys' }],
    ['an oversized body', { status: 200, body: JSON.stringify({ keys: [], pad: 'x'.repeat(400_000) }) }],
  ])(
    'a key response with %s is reported as a failure of the provider, and the keys are fetched again',
    async (_, keySet) => {
      provider.script.keySet = keySet;
      expect(outcome(await signIn())).toEqual({ status: 503, code: 'IDP_UNAVAILABLE' });
      publish(rsa);
      expect(outcome(await signIn())).toEqual(SIGNED_IN);
    },
  );
});

describe('an ID token', () => {
  beforeAll(async () => {
    await start();
    publish(rsa, ec);
  });
  afterAll(stop);

  const atHash = (accessToken: string, hash: string) => {
    const digest = createHash(hash).update(accessToken).digest();
    return digest.subarray(0, digest.length / 2).toString('base64url');
  };

  it.each<[string, () => Token]>([
    ['with the at_hash of the access token', () => ({ claims: { at_hash: atHash('access', 'sha256') } })],
    [
      'for several clients that says it is for this one',
      () => ({ claims: { aud: [CLIENT, 'other'], azp: CLIENT } }),
    ],
    ['that expired ten seconds ago by our clock', () => ({ claims: { exp: now() - 10 } })],
    [
      'that becomes valid in ten seconds by our clock',
      () => ({ claims: { nbf: now() + 10, iat: now() + 10 } }),
    ],
  ])('an ID token %s is accepted', async (_, token) => {
    expect(outcome(await signIn(token))).toEqual(SIGNED_IN);
  });

  it('an ID token from a renewed sign-in is refused if its auth_time is too old', async () => {
    const at = (seconds: number) => () => ({ claims: { auth_time: now() - seconds } });
    expect(outcome(await signIn(at(3_600), '/auth/idp/again'))).toEqual(REJECTED);
    expect(outcome(await signIn(at(5), '/auth/idp/again'))).toEqual(SIGNED_IN);
    // An ordinary sign-in does not limit the age of `auth_time`.
    ({ email } = await createAdmin({ databaseUrl: database.url }));
    expect(outcome(await signIn(at(3_600)))).toEqual(SIGNED_IN);
  });

  it('an ID token with an elliptic-curve signature and its longer at_hash is accepted', async () => {
    const token = { header: { alg: 'ES384' }, key: ec.privateKey };
    const claims = { at_hash: atHash('access', 'sha384') };
    expect(outcome(await signIn(() => ({ ...token, claims })))).toEqual(SIGNED_IN);
  });

  it.each<[string, () => Token]>([
    ['from another issuer', () => ({ claims: { iss: 'https://evil.example.org' } })],
    ['for another client', () => ({ claims: { aud: 'other' } })],
    ['for several clients, without azp', () => ({ claims: { aud: [CLIENT, 'other'] } })],
    ['that another client requested', () => ({ claims: { azp: 'other' } })],
    ['with another nonce', () => ({ claims: { nonce: 'of-another-sign-in' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['that has expired', () => ({ claims: { exp: now() - 60 } })],
    ['without an expiry', () => ({ claims: { exp: undefined } })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 60 } })],
    ['without an issue time', () => ({ claims: { iat: undefined } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['with an empty subject', () => ({ claims: { sub: '' } })],
    ['with the at_hash of another access token', () => ({ claims: { at_hash: atHash('other', 'sha256') } })],
    ['with a number as at_hash', () => ({ claims: { at_hash: 1 } })],
    ['signed with a key that is not published', () => ({ key: stranger.privateKey })],
    [
      'signed with the public key as a shared secret',
      () => ({ header: { alg: 'HS256' }, key: Buffer.from(JSON.stringify(rsa.publicJwk)) }),
    ],
  ])('an ID token %s is refused', async (_, token) => {
    expect(outcome(await signIn(token))).toEqual(REJECTED);
  });

  it.each(['', 'nonsense', 'a.b.c', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`])(
    'the invalid ID token "%s" is refused',
    async (text) => {
      const started = await app.http.get('/auth/idp').expect(302);
      const state = new URL(started.headers.location ?? '').searchParams.get('state') ?? '';
      provider.script.idToken = text;
      const response = await app.http
        .get(`/auth/idp/callback?code=any&state=${state}`)
        .set('Cookie', cookiesOf(started));
      expect(outcome(response)).toEqual(REJECTED);
    },
  );
});
