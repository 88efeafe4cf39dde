import { describe, expect, it } from '@jest/globals';
import { errorBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

interface Page {
  readonly data: readonly { id: string; subject: string; dueBy: string | null }[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/** More items than the older route can list. */
const MANY = 700;
const DUE = 30;

describe('open review items', () => {
  const app = withService();
  const admin = withAdmin(app);

  const page = async (query: string) =>
    (await admin.get(`/review-items/open${query}`).expect(200)).body as Page;

  it('a list without review items is an empty page', async () => {
    expect(await page('')).toEqual({ data: [], total: 0, nextCursor: null });
  });

  it('the cursor returns every review item once: deadlines first, then the newest', async () => {
    await sql(
      app,
      `INSERT INTO review_item (id, kind, subject, detail, due_by)
       SELECT ('0198f3c6-7a10-7c4e-9f00-' || lpad(to_hex(n), 12, '0'))::uuid, 'dispute', 'acme:' || n, '{}',
         CASE WHEN n <= ${DUE} THEN '2027-01-01T00:00:00Z'::timestamptz + ((n / 3) || ' hours')::interval END
       FROM generate_series(1, ${MANY}) AS n`,
    );
    await sql(app, "UPDATE review_item SET resolved_at = now() WHERE subject IN ('acme:7', 'acme:400')");
    const seen: Page['data'][number][] = [];
    let cursor: string | null = null;
    do {
      const { data, total, nextCursor }: Page = await page(
        `?limit=97${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(total).toBe(MANY - 2);
      seen.push(...data);
      cursor = nextCursor;
    } while (cursor !== null);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(MANY - 2);
    const order = [...seen].sort(
      (a, b) => (a.dueBy ?? '9').localeCompare(b.dueBy ?? '9') || b.id.localeCompare(a.id),
    );
    expect(seen.map(({ id }) => id)).toEqual(order.map(({ id }) => id));
    expect(seen.filter(({ dueBy }) => dueBy !== null)).toHaveLength(DUE - 1);
    // The older route still returns only the newest five hundred items.
    const { body } = await admin.get('/review-items').expect(200);
    expect(body).toHaveLength(500);
    expect((body as Page['data'])[0]?.subject).toBe(`acme:${MANY}`);
  });

  it('a review item can be read by its id, also when it is resolved', async () => {
    const [first] = (await page('?limit=1')).data;
    const { body } = await admin.get(`/review-items/${first?.id ?? ''}`).expect(200);
    expect(body).toEqual(first);
    for (let time = 0; time < 2; time += 1)
      await admin.post(`/review-items/${first?.id ?? ''}/resolve`).expect(200);
    // The first resolution stores the user. A repeated resolution changes nothing.
    expect(
      await sql(
        app,
        "SELECT actor_kind, detail FROM audit_entry WHERE action = 'review.resolve' AND subject_id = $1",
        [first?.id],
      ),
    ).toEqual([{ actor_kind: 'admin', detail: { kind: 'dispute', subject: first?.subject } }]);
    const settled = await admin.get(`/review-items/${first?.id ?? ''}`).expect(200);
    expect(settled.body).toEqual({ ...first, resolvedAt: expect.any(String) });
    for (const id of ['0198f3c6-7a10-7c4e-9f00-ffffffffffff', 'nothing'])
      expect((await admin.get(`/review-items/${id}`).expect(404)).body).toEqual(
        errorBody(404, 'Not Found', 'REVIEW_ITEM_NOT_FOUND'),
      );
  });

  it('an invalid cursor or limit is refused', async () => {
    for (const cursor of [
      'nonsense',
      '|',
      btoa('yesterday|0198f3c6-7a10-7c4e-9f00-000000000001'),
      btoa('|not-an-id'),
    ])
      expect(
        (await admin.get(`/review-items/open?cursor=${encodeURIComponent(cursor)}`).expect(400)).body,
      ).toEqual(errorBody(400, 'Bad Request', 'CURSOR_INVALID'));
    for (const limit of ['0', '201', 'all']) await admin.get(`/review-items/open?limit=${limit}`).expect(400);
    await app.http.get('/review-items/open').expect(401);
  });
});
