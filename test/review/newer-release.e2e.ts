import { expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as } from '../support/bearer.js';
import { adminToken, sql } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const app = withService();

it('the server lists, shows and resolves an unknown kind of review item in neutral words', async () => {
  await sql(app, `ALTER TYPE review_kind ADD VALUE 'raised_by_a_newer_release'`);
  for (const kind of ['relay_stalled', 'raised_by_a_newer_release'])
    await sql(
      app,
      `INSERT INTO review_item (id, kind, subject, detail) VALUES ($1, $2::review_kind, 'a', '{}')`,
      [newId(), kind],
    );
  const caller = as(app, await adminToken(app));
  const neutral = expect.objectContaining({
    kind: 'raised_by_a_newer_release',
    title: 'An item from a newer release',
    advice: expect.stringContaining('when all servers run the newer release'),
  });
  const known = expect.objectContaining({ kind: 'relay_stalled', title: 'The wall is late' });
  const { body: page } = await caller.get('/review-items/open').expect(200);
  expect((page as { data: unknown[] }).data).toEqual([neutral, known]);
  const { body: list } = await caller.get('/review-items').expect(200);
  expect(list).toEqual([neutral, known]);
  const [{ id } = { id: '' }] = list as { id: string }[];
  const { body: one } = await caller.get(`/review-items/${id}`).expect(200);
  expect(one).toEqual(neutral);
  const { body: resolved } = await caller.post(`/review-items/${id}/resolve`).expect(200);
  expect(resolved).toMatchObject({ kind: 'raised_by_a_newer_release', resolvedAt: expect.any(String) });
  expect((await caller.get('/review-items').expect(200)).body).toEqual([known]);
});
