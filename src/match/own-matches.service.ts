import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { OWN_DRAWS, type OwnDrawRow } from './match.sql.js';

/** Sum that a donation drew from a match pool, for its donor. Amounts in minor units of the donation's currency. */
export interface OwnDraw {
  readonly amount: bigint;
  /** The sum that the pool would have added with enough money. */
  readonly wanted: bigint;
  readonly pool: string;
  /** Undefined if the matcher is anonymous. */
  readonly matcher: string | undefined;
}

/** `none`: the event has no pool; `pending`: the donation is not counted yet; `known`: nothing changes by itself. */
export type OwnMatch =
  | { readonly state: 'none' | 'pending' }
  | { readonly state: 'known'; readonly drawn: bigint; readonly draws: readonly OwnDraw[] };

/** Reads what a donation drew. */
@Injectable()
export class OwnMatches {
  constructor(private readonly database: Database) {}

  async of(donationId: string): Promise<OwnMatch> {
    const rows = await this.database.query<OwnDrawRow>(OWN_DRAWS, [donationId]);
    const [first] = rows;
    if (!first?.has_pools) return { state: 'none' };
    if (first.is_waiting) return { state: 'pending' };
    const draws = rows.flatMap((row) => (row.amount === null ? [] : [toOwnDraw(row)]));
    return { state: 'known', drawn: draws.reduce((sum, { amount }) => sum + amount, 0n), draws };
  }
}

const toOwnDraw = (row: OwnDrawRow): OwnDraw => ({
  amount: row.amount ?? 0n,
  wanted: row.wanted ?? 0n,
  pool: row.name ?? '',
  matcher: row.matcher_name ?? undefined,
});
