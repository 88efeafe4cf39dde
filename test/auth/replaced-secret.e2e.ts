import { it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const OLD = 'jwt-old-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj';
const NEW = 'jwt-new-4hF6gS0aUjZk3v9Qm1xT7bL5nR2cW8yD';

const before = withService(() => startApp({ JWT_SECRET: OLD }));
const both = withService(() => startApp({ JWT_SECRET: `${NEW}, ${OLD}` }, {}, before.databaseUrl));
const after = withService(() => startApp({ JWT_SECRET: NEW }, {}, before.databaseUrl));

it('tokens of both values of JWT_SECRET are accepted during the replacement, and only the new ones afterwards', async () => {
  const admin = await adminToken(before);
  const event = await createEvent(before, admin);
  const { token: staff } = await createStaff(before, admin, event.id);
  for (const token of [admin, staff]) {
    await as(both, token).get('/auth/me').expect(200);
    await as(after, token).get('/auth/me').expect(401);
  }
});

it('new tokens are signed with the first value of JWT_SECRET', async () => {
  const admin = await adminToken(both);
  await as(both, admin).get('/auth/me').expect(200);
  await as(after, admin).get('/auth/me').expect(200);
  await as(before, admin).get('/auth/me').expect(401);
});
