import pg from 'pg';
import { beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { rankTeams, type TeamFigures } from '../../src/teams/board.js';
import { PG_TYPES } from '../../src/data/database.js';
import { BOARD, EXACT, FOLLOW, RELEASE } from '../../src/teams/teams.sql.js';
import { createTestDatabase } from '../support/database.js';
import { insertDonation } from '../support/donation-rows.js';
import { withOpened } from '../support/setup.js';

/** `GIFTS=2500` is a large evening with 1,000 anonymous donations. */
const GIFTS = Number(process.env.GIFTS ?? 1_000);
const TABLES = 60;
const SECRET_SHARE = 0.4;
const HOURS = 3;
const AMOUNTS = [
  1_000, 2_000, 2_000, 2_500, 5_000, 5_000, 5_000, 7_500, 10_000, 10_000, 15_000, 20_000, 25_000, 50_000,
  100_000,
];
const RULES = { minGifts: 3, roundTo: 5_000n };
const EVENT = '10000000-0000-7000-8000-000000000001';

const database = withOpened(() => createTestDatabase());
/** The clock of this connection is the setting `sim.now`, so that an evening takes seconds. */
const client = withOpened(async () => {
  const connection = new pg.Client({ connectionString: database.url, types: PG_TYPES });
  await connection.connect();
  return Object.assign(connection, { close: () => connection.end() });
});

beforeAll(async () => {
  await client.query(`CREATE SCHEMA sim;
    CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE sql STABLE AS
      $$ SELECT to_timestamp(current_setting('sim.now')::float8) $$;
    SET sim.now = 0; SET search_path = sim, pg_catalog, public`);
  await client.query(
    `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ($1, 'gala', 'Gala', 0, 'eur')`,
    [EVENT],
  );
});

/** Numbers that are the same in each run. */
function random(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Secret {
  readonly id: string;
  readonly at: number;
  readonly amount: number;
  readonly table: number;
}
interface Shown {
  readonly raised: number;
  readonly gifts: number;
}

/** An attacker that reads the feed and the board all evening. Guesses a team for each secret donation, or no team. */
class Attacker {
  private readonly waiting: Secret[] = [];
  private before = new Map<string, Shown>();
  readonly guesses = new Map<string, string>();

  /** The feed shows the amount and the moment of an anonymous donation. The team is not shown; it is kept to check guesses. */
  seesSecret(secret: Secret): void {
    this.waiting.push(secret);
  }

  /** @param named amount of a donation with a name that the feed showed at this moment */
  seesBoard(
    now: number,
    board: ReadonlyMap<string, Shown>,
    named: number | undefined,
    hasEnded: boolean,
  ): void {
    for (const [team, shown] of board) {
      const before = this.before.get(team);
      const gifts = shown.gifts - (before?.gifts ?? 0);
      const raised = shown.raised - (before?.raised ?? 0);
      // A row that appears mixes donations of the whole evening. A row that moves with a named donation is that donation.
      if (before === undefined || gifts === 0 || (gifts === 1 && named !== undefined)) continue;
      this.guess(
        team,
        hasEnded ? this.waiting : this.waiting.filter(({ at }) => at < now - 60),
        gifts,
        raised,
      );
    }
    this.before = new Map(board);
  }

  /** Finds the sets of donations that explain the change, and guesses those that are in most of them. */
  private guess(team: string, known: readonly Secret[], size: number, raised: number): void {
    const candidates = known.filter(({ id }) => !this.guesses.has(id));
    const counts = new Map<string, number>();
    let sets = 0;
    const look = (from: number, chosen: readonly Secret[], sum: number) => {
      if (chosen.length === size) {
        if (Math.abs(sum - raised) < 5_000) {
          sets++;
          for (const { id } of chosen) counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        return;
      }
      for (let index = from; index < candidates.length && sets < 20_000; index++) {
        const next = candidates[index];
        if (next) look(index + 1, [...chosen, next], sum + next.amount);
      }
    };
    if (size <= 3) look(0, [], 0);
    const likely = [...counts].sort(([, one], [, other]) => other - one).slice(0, size);
    for (const [id] of likely) this.guesses.set(id, team);
  }
}

it('the board and the feed together do not reveal the table of an anonymous donor', async () => {
  const next = random(7);
  const tables = await Promise.all(
    Array.from({ length: TABLES }, async (_, index) => {
      const id = newId();
      await client.query(
        `INSERT INTO team (id, event_id, slug, name, kind, number) VALUES ($1, $2, $3, $4, 'table', $5)`,
        [id, EVENT, `table-${index}`, `Table ${index}`, index + 1],
      );
      return id;
    }),
  );
  const attacker = new Attacker();
  const secrets = new Map<string, Secret>();
  const givenAt = new Map<number, number>();
  const read = async (hasEnded: boolean) => {
    const { rows } = await client.query<TeamFigures>(BOARD.text, [EVENT, hasEnded]);
    return new Map(
      rankTeams(rows, 'raised', RULES, () => 0).flatMap(({ team, raised, gifts }) =>
        raised === null || gifts === null ? [] : [[team.id, { raised: Number(raised), gifts }] as const],
      ),
    );
  };
  let now = 0;
  for (let gift = 0; gift < GIFTS; gift++) {
    const until = now + (-Math.log(1 - next()) * HOURS * 3_600) / GIFTS;
    // The attacker reads the board every ten seconds.
    for (; now + 10 < until; now += 10) {
      await client.query(`SET sim.now = ${now + 10}`);
      attacker.seesBoard(now + 10, await read(false), undefined, false);
    }
    now = until;
    await client.query(`SET sim.now = ${now}`);
    const isSecret = next() < SECRET_SHARE;
    const amount = AMOUNTS[Math.floor(next() * AMOUNTS.length)] ?? 0;
    const table = Math.floor(next() * TABLES);
    const id = await insertDonation(client, EVENT, {
      amount,
      donorEmail: null,
      donorName: isSecret ? null : `Donor ${gift}`,
    });
    const teamId = tables[table] ?? '';
    await client.query('UPDATE donation SET team_id = $2 WHERE id = $1', [id, teamId]);
    await client.query(FOLLOW.text, [[id]]);
    await client.query(RELEASE.text, [[teamId]]);
    givenAt.set(table, (givenAt.get(table) ?? 0) + 1);
    if (isSecret) {
      const secret = { id, at: now, amount, table };
      secrets.set(id, secret);
      attacker.seesSecret(secret);
    }
    attacker.seesBoard(now, await read(false), isSecret ? undefined : amount, false);
  }
  attacker.seesBoard(now + 1_000, await read(true), undefined, true);

  const right = [...attacker.guesses].filter(([id, team]) => tables[secrets.get(id)?.table ?? -1] === team);
  const inSmall = right.filter(([id]) => (givenAt.get(secrets.get(id)?.table ?? -1) ?? 0) < RULES.minGifts);
  expect(secrets.size).toBeGreaterThan(GIFTS * SECRET_SHARE * 0.8);
  expect(attacker.guesses.size).toBeGreaterThan(0);
  expect(inSmall).toEqual([]);
  expect(right.length / secrets.size).toBeLessThanOrEqual(0.05);
}, 300_000);

/** `STEPS=10000` is the size of the acceptance. */
const STEPS = Number(process.env.STEPS ?? 4_000);

it(
  'the figures of teams are those of a recount after each of many random changes, and so is the board at the end',
  async () => {
    const next = random(11);
    const pick = <One>(from: readonly One[]): One => from[Math.floor(next() * from.length)] as One;
    const event = newId();
    await client.query(
      `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ($1, 'story', 'Story', 0, 'eur')`,
      [event],
    );
    const teams = Array.from({ length: 5 }, () => newId());
    for (const [index, id] of teams.entries())
      await client.query(
        `INSERT INTO team (id, event_id, slug, name, kind) VALUES ($1, $2, $3, $3, 'team')`,
        [id, event, `team-${index}`],
      );
    const RECOUNT = `SELECT t.id, coalesce(sum(d.amount - d.refunded_amount) FILTER (WHERE d.currency = 'eur'), 0)::bigint AS raised,
        count(d.id)::int AS gifts, count(DISTINCT coalesce(encode(d.donor_key, 'hex'), d.id::text)) FILTER (WHERE d.id IS NOT NULL)::int AS givers
      FROM team t LEFT JOIN donation d ON d.team_id = t.id AND d.status = 'COMPLETED' WHERE t.event_id = $1 GROUP BY t.id ORDER BY t.id`;
    const figures = async (text: string, values: unknown[]) =>
      (await client.query<Pick<TeamFigures, 'id' | 'raised' | 'gifts' | 'givers'>>(text, values)).rows
        .map(({ id, raised, gifts, givers }) => ({ id, raised, gifts, givers }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    const changes = [
      `UPDATE donation SET team_id = $2 WHERE id = $1`,
      `UPDATE donation SET team_id = NULL WHERE id = $1 AND $2::uuid IS NOT NULL`,
      `UPDATE donation SET refunded_amount = amount, status = 'REFUNDED' WHERE id = $1 AND status = 'COMPLETED' AND $2::uuid IS NOT NULL`,
      `UPDATE donation SET refunded_amount = amount / 2 WHERE id = $1 AND status = 'COMPLETED' AND $2::uuid IS NOT NULL`,
      `UPDATE donation SET is_anonymous = NOT is_anonymous WHERE id = $1 AND $2::uuid IS NOT NULL`,
      `UPDATE donation SET status = 'COMPLETED', refunded_amount = 0 WHERE id = $1 AND $2::uuid IS NOT NULL`,
    ];
    const donations: string[] = [];
    let moved = 0;
    for (let step = 0; step < STEPS; step++) {
      await client.query(`SET sim.now = ${step * 20}`);
      let id = donations.length === 0 ? undefined : pick(donations);
      if (id === undefined || next() < 0.5) {
        id = await insertDonation(client, event, {
          amount: pick(AMOUNTS),
          currency: next() < 0.1 ? 'usd' : 'eur',
          donorEmail: next() < 0.3 ? `${Math.floor(next() * 10)}@example.org` : null,
          isAnonymous: next() < 0.4,
        });
        donations.push(id);
        await client.query('UPDATE donation SET team_id = $2 WHERE id = $1', [id, pick(teams)]);
      } else await client.query(pick(changes), [id, pick(teams)]);
      const { rows } = await client.query<{ team_id: string }>(FOLLOW.text, [[id]]);
      await client.query(RELEASE.text, [rows.map(({ team_id }) => team_id)]);
      moved += rows.length;
      const recount = await figures(RECOUNT, [event]);
      expect(await figures(EXACT.text, [event])).toEqual(recount);
      expect(await figures(BOARD.text, [event, true])).toEqual(recount);
    }
    expect(moved).toBeGreaterThan(STEPS / 2);
    await client.query(`SET sim.now = ${STEPS * 20 + 10_000}`);
    const late = await figures(BOARD.text, [event, false]);
    const waiting = await client.query('SELECT 1 FROM team_gift WHERE event_id = $1 AND shown_from IS NULL', [
      event,
    ]);
    // Up to two secret changes of each team wait for others.
    expect(waiting.rows.length).toBeLessThanOrEqual(2 * teams.length);
    expect(late).toHaveLength(teams.length);
  },
  60_000 + STEPS * 50,
);
