import { beforeAll, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { connections, createTestDatabase } from '../support/database.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';

const database = withOpened(() => createTestDatabase());
beforeAll(async () => {
  // The setting was saved when this currency was still valid.
  const value = { payment: { currency: 'bgn' } };
  await connections(database.url).query('INSERT INTO global_settings (id, value) VALUES (1, $1)', [value]);
});
const app = withService(() => startApp({}, {}, database.url));
const admin = withAdmin(app);

const event = (slug: string, fields: object = {}) =>
  admin.post('/events', { name: 'Gala', slug, goalAmount: 1000, ...fields });

it('the dashboard offers only currencies that are valid today', async () => {
  const { text } = await app.http.get('/admin').expect(200);
  const model = /data-model="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '{}';
  const { currencies } = JSON.parse(model) as { currencies: string[] };
  expect(currencies).toEqual(expect.arrayContaining(['eur', 'usd', 'xcg']));
  for (const ended of ['ang', 'bgn', 'cuc']) expect(currencies).not.toContain(ended);
});

it.each(['BGN', 'ANG', 'CUC'])('an event cannot have the currency %s, which has ended', async (currency) => {
  await event(`gala-${currency.toLowerCase()}`, { currency }).expect(400);
  await admin.patch('/settings/global', { payment: { currency } }).expect(400);
});

it('a new event uses euro if the currency of the settings has ended', async () => {
  const { body } = await event('gala-of-old').expect(201);
  expect(body).toMatchObject({ currency: 'eur' });
});
