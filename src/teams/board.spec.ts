import { describe, expect, it } from '@jest/globals';
import { rankTeams, type TeamFigures } from './board.js';

const RULES = { minGifts: 3, roundTo: 5_000n };
const team = (
  name: string,
  raised: number,
  givers: number,
  fields: Partial<TeamFigures> = {},
): TeamFigures => ({
  id: name,
  slug: name,
  name,
  kind: 'table',
  number: null,
  seats: null,
  goal_amount: null,
  raised: BigInt(raised),
  gifts: givers,
  givers,
  ...fields,
});
const { compare } = new Intl.Collator('en', { numeric: true });
const ranks = (teams: readonly TeamFigures[], by: 'raised' | 'share' | 'gifts' = 'raised') =>
  rankTeams(teams, by, RULES, compare).map(({ team: { name }, rank }) => [name, rank]);

describe('rankTeams()', () => {
  it('shows no figure of a team with too few donors, and sorts it below those with enough', () => {
    const rows = rankTeams(
      [team('Two', 900_000, 2), team('None', 0, 0), team('Three', 30_000, 3)],
      'raised',
      RULES,
      compare,
    );
    expect(
      rows.map(({ team: { name }, rank, raised, gifts, share, hasBegun }) => ({
        name,
        rank,
        raised,
        gifts,
        share,
        hasBegun,
      })),
    ).toEqual([
      { name: 'Three', rank: 1, raised: 30_000n, gifts: 3, share: null, hasBegun: true },
      { name: 'Two', rank: null, raised: null, gifts: null, share: null, hasBegun: true },
      { name: 'None', rank: null, raised: null, gifts: null, share: null, hasBegun: false },
    ]);
  });

  it('gives equal figures the same rank, in the order of the names, and leaves out the next rank', () => {
    const teams = [team('Table 10', 20_000, 3), team('Table 9', 24_999, 4), team('Table 1', 10_000, 3)];
    expect(ranks(teams)).toEqual([
      ['Table 9', 1],
      ['Table 10', 1],
      ['Table 1', 3],
    ]);
  });

  it('compares amounts as they are shown, because a rank by hidden digits would reveal them', () => {
    expect(ranks([team('B', 20_001, 3), team('A', 20_000, 3)])).toEqual([
      ['A', 1],
      ['B', 1],
    ]);
  });

  it('ranks by the share of the seats that gave, so that a small table can win', () => {
    const teams = [
      team('Bankers', 900_000, 5, { seats: 10 }),
      team('Students', 9_000, 9, { seats: 10 }),
      team('Without seats', 50_000, 20),
    ];
    expect(ranks(teams, 'share')).toEqual([
      ['Students', 1],
      ['Bankers', 2],
      ['Without seats', null],
    ]);
    expect(ranks(teams, 'gifts')[0]).toEqual(['Without seats', 1]);
  });
});
