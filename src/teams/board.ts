import type { TeamKind } from '../data/generated/client.js';

export const BOARD_ORDERS = ['raised', 'share', 'gifts'] as const;
export type BoardOrder = (typeof BOARD_ORDERS)[number];

/** Public figures of the donations for a team, before the rules of the board. */
export interface TeamFigures {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly kind: TeamKind;
  readonly number: number | null;
  readonly seats: number | null;
  /** Minor units of the event's currency. */
  readonly goal_amount: bigint | null;
  /** Minor units of the event's currency. */
  readonly raised: bigint;
  readonly gifts: number;
  /** Donors who gave for the team. A donation without an e-mail address counts as a donor of its own. */
  readonly givers: number;
}

export interface BoardRules {
  /** Fewest donors of a team whose figures are shown. */
  readonly minGifts: number;
  /** Amounts are rounded down to a multiple of this, in minor units. */
  readonly roundTo: bigint;
}

/** A team as the board shows it. */
export interface RankedTeam {
  readonly team: TeamFigures;
  /** Null while the team has too few donors. Teams with the same figure have the same rank. */
  readonly rank: number | null;
  readonly raised: bigint | null;
  readonly gifts: number | null;
  /** Donors as a share of the seats, in whole per cent; null without seats. */
  readonly share: number | null;
  /** True if somebody has given for the team. */
  readonly hasBegun: boolean;
}

/**
 * Ranks the teams of an event. Shows the figures of a team only with enough donors, because the figures of a team with one
 * donation are that donation. Ranks compare the shown figures, because a rank by hidden digits would reveal them.
 * @param byName order of two names in the language of the event
 */
export function rankTeams(
  teams: readonly TeamFigures[],
  by: BoardOrder,
  { minGifts, roundTo }: BoardRules,
  byName: (one: string, other: string) => number,
): RankedTeam[] {
  const shown = teams.map((team) => {
    const isShown = team.givers >= minGifts;
    return {
      team,
      raised: isShown ? team.raised - (team.raised % roundTo) : null,
      gifts: isShown ? team.gifts : null,
      share: isShown && team.seats !== null ? Math.floor((team.givers * 100) / team.seats) : null,
      hasBegun: team.gifts > 0,
    };
  });
  const figure = (row: (typeof shown)[number]): number => {
    const value = row[by];
    if (value !== null) return Number(value);
    return row.hasBegun ? -1 : -2;
  };
  shown.sort((a, b) => figure(b) - figure(a) || byName(a.team.name, b.team.name));
  let rank = 0;
  return shown.map((row, index) => {
    const before = shown[index - 1];
    if (!before || figure(before) !== figure(row)) rank = index + 1;
    return { ...row, rank: row[by] === null ? null : rank };
  });
}
