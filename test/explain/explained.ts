import { expect } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { as, type ListBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';

export interface ExplainedBody {
  readonly currency: string;
  readonly total: number;
  readonly donorCount: number;
  readonly lines: {
    readonly kind: string;
    readonly type: string;
    readonly count: number;
    readonly amount: number;
    readonly inTotal: boolean;
    readonly filter: Record<string, string | boolean>;
  }[];
  readonly underDispute: { count: number; amount: number; filter: Record<string, string | boolean> };
}

const queryOf = (filter: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

/**
 * Returns the explanation of an event's total in one currency. Checks that the lines of the explanation add up to this total.
 */
export async function explained(app: TestApp, token: string, eventId: string, currency?: string) {
  const query = currency ? `?currency=${currency}` : '';
  const { body } = await as(app, token).get(`/events/${eventId}/explain-total${query}`).expect(200);
  const found = body as ExplainedBody;
  expectSum(found);
  return found;
}

export function expectSum({ lines, total }: ExplainedBody): void {
  const sum = lines.filter(({ inTotal }) => inTotal).reduce((all, { amount }) => all + amount, 0);
  expect({ lines, sum }).toEqual({ lines, sum: total });
}

/** Checks that every line lists as many rows as its count, that every row is on a line, and that the total equals a recount. */
export async function expectExplained(app: TestApp, token: string, eventId: string): Promise<void> {
  const admin = as(app, token);
  const rows = await sql<{ currency: string; count: number; total: string; donors: number }>(
    app,
    `SELECT currency, count(*)::int AS count,
       coalesce(sum(amount - refunded_amount) FILTER (WHERE status = 'COMPLETED'), 0)::text AS total,
       (count(DISTINCT donor_key) FILTER (WHERE status = 'COMPLETED')
         + count(*) FILTER (WHERE status = 'COMPLETED' AND donor_key IS NULL))::int AS donors
     FROM donation WHERE event_id = $1 GROUP BY currency`,
    [eventId],
  );
  for (const { currency, count, total, donors } of rows) {
    const found = await explained(app, token, eventId, currency);
    expect({ total: found.total, donors: found.donorCount }).toEqual({ total: Number(total), donors });
    const seen = new Set<string>();
    for (const line of [...found.lines, found.underDispute]) {
      const { body } = await admin.get(`/donations?limit=200&${queryOf(line.filter)}`).expect(200);
      const list = body as ListBody;
      expect({ line, total: list.total }).toEqual({ line, total: line.count });
      for (const { id } of list.data) seen.add(id);
      const { body: sums } = await admin.get(`/donations/totals?${queryOf(line.filter)}`).expect(200);
      expect(sums.byCurrency.map((one: { count: number }) => one.count)).toEqual(
        line.count > 0 ? [line.count] : [],
      );
    }
    expect({ currency, seen: seen.size }).toEqual({ currency, seen: count });
  }
}
