import { expect, it } from '@jest/globals';
import { confirmed } from '../support/bearer.js';
import { ADMIN_PASSWORD, createAdmin } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const app = withService();

it('the QR code for an authenticator app has space for the longest organization and account names', async () => {
  const { email } = await createAdmin(app, `${'ü'.repeat(120)}@${'ä'.repeat(100)}.example.org`);
  const { body } = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD }).expect(200);
  const me = await confirmed(app, (body as { accessToken: string }).accessToken);
  await me.patch('/settings/global', { organization: '🎉'.repeat(200) }).expect(200);
  const begun = (await me.post('/auth/totp').expect(200)).body as Record<string, string>;
  expect(begun.qr).toMatch(/^<svg /);
  expect(begun.otpauthUrl?.length).toBeLessThan(1_000);
  const { searchParams, pathname } = new URL(begun.otpauthUrl ?? '');
  expect(searchParams.get('secret')).toBe(begun.secret);
  expect(searchParams.get('issuer')).toMatch(/^🎉+…$/u);
  expect(decodeURIComponent(pathname)).toMatch(/ü…$/u);
});
