import { afterAll, beforeAll, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';

const OLD = 'jwt-old-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj';
const NEW = 'jwt-new-4hF6gS0aUjZk3v9Qm1xT7bL5nR2cW8yD';

let before: TestApp;
let both: TestApp;
let after: TestApp;

beforeAll(async () => {
  before = await startApp({ JWT_SECRET: OLD });
  both = await startApp({ JWT_SECRET: `${NEW}, ${OLD}` }, {}, before.databaseUrl);
  after = await startApp({ JWT_SECRET: NEW }, {}, before.databaseUrl);
});
afterAll(async () => {
  await after.close();
  await both.close();
  await before.close();
});

it('accepts tokens of both values of JWT_SECRET while it is replaced, and of the new one alone afterwards', async () => {
  const admin = await adminToken(before);
  const event = await createEvent(before, admin);
  const { token: staff } = await createStaff(before, admin, event.id);
  for (const token of [admin, staff]) {
    await as(both, token).get('/auth/me').expect(200);
    await as(after, token).get('/auth/me').expect(401);
  }
});

it('signs with the first value of JWT_SECRET alone', async () => {
  const admin = await adminToken(both);
  await as(both, admin).get('/auth/me').expect(200);
  await as(after, admin).get('/auth/me').expect(200);
  await as(before, admin).get('/auth/me').expect(401);
});
