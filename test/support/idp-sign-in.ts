import supertest, { type Response } from 'supertest';
import type { TestApp } from './app.js';
import { cookiesOf } from './fixtures.js';
import { CLIENT, type IdentityProvider } from './identity-provider.js';

export const CALLBACK = 'http://127.0.0.1:4999/auth/idp/callback';

export const idpEnvironment = (provider: IdentityProvider): NodeJS.ProcessEnv => ({
  IDP_ISSUER: provider.issuer,
  IDP_CLIENT_ID: CLIENT.id,
  IDP_CLIENT_SECRET: CLIENT.secret,
  IDP_CALLBACK_URL: CALLBACK,
});

/** Follows all redirects of the browser: to the provider, through its pages, and back. */
export async function signInByProvider(
  app: TestApp,
  provider: IdentityProvider,
  begin = '/auth/idp',
): Promise<Response> {
  const started = await supertest(app.url).get(begin).expect(302);
  const back = await provider.visit(started.headers.location ?? '');
  return await supertest(app.url).get(`/auth/idp/callback${back.search}`).set('Cookie', cookiesOf(started));
}
