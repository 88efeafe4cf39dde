import { confirmed } from './bearer.js';
import type { TestApp } from './app.js';

export interface ApiKeyFixture {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

/** Creates an API key with the API. `token` belongs to an admin. */
export async function createKey(
  app: TestApp,
  token: string,
  scopes: readonly string[],
  fields: Record<string, unknown> = {},
): Promise<ApiKeyFixture> {
  const admin = await confirmed(app, token);
  const { body } = await admin.post('/api-keys', { name: 'Bookkeeping', scopes, ...fields }).expect(201);
  return body as ApiKeyFixture;
}
