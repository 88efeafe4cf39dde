import { beforeAll, expect, it } from '@jest/globals';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);
let slug: string;

beforeAll(async () => {
  await admin
    .patch('/settings/global', { locales: { default: 'fa', supported: ['fa', 'de', 'en'] } })
    .expect(200);
  ({ slug } = await createEvent(app, admin.token));
});

it.each(['/', '/pos', '/wall/SLUG', '/stage/SLUG', '/donate/SLUG', '/donate/no-such-event', '/admin'])(
  'the page %s is marked as English and left-to-right if its language has no texts',
  async (path) => {
    const { text } = await app.http.get(path.replace('SLUG', slug)).set('Accept-Language', 'fa');
    expect(text).toContain('<html lang="en" dir="ltr"');
  },
);

it('the donate page offers the languages that have texts', async () => {
  const { text } = await app.http.get(`/donate/${slug}`).expect(200);
  expect([...text.matchAll(/hreflang="([^"]+)"/g)].map(([, code]) => code)).toEqual(['de', 'en']);
});

it('the manifest of the terminals names the language of its texts', async () => {
  const { body } = await app.http.get('/pos/manifest.webmanifest').expect(200);
  expect((body as { lang: string }).lang).toBe('en');
});
