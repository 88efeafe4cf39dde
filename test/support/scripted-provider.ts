import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';

export interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function signingKey(alg: string, fields: JWK = { alg, use: 'sig' }): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), ...fields } };
}

/** The next answers of the provider. */
export interface Script {
  idToken: string;
  accessToken: string;
  keySet: { status: number; body: string };
}

export interface ScriptedProvider {
  readonly issuer: string;
  readonly script: Script;
  /** Returns the number of requests for the provider's keys. */
  keyFetches(): number;
  stop(): Promise<void>;
}

/**
 * An OpenID provider that gives any answer, even an impossible one. Other tests use a certified provider for the correct
 * answers.
 */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const script: Script = { idToken: '', accessToken: 'access', keySet: { status: 200, body: '{"keys":[]}' } };
  let keyFetches = 0;
  const server = createServer((request, response) => {
    const answer = (body: string, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return answer(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
          }),
        );
      case '/token':
        return answer(JSON.stringify({ access_token: script.accessToken, id_token: script.idToken }));
      case '/keys':
        keyFetches++;
        return answer(script.keySet.body, script.keySet.status);
      default:
        return answer('{}', 404);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script,
    keyFetches: () => keyFetches,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
