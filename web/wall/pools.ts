import type { PoolMessage } from '../../src/match/public-match.service.js';

/** Money of match pools that is not in the totals yet, in minor units of `currency`. */
export const matchedOf = (pools: readonly PoolMessage[], currency: string): number =>
  pools
    .filter((pool) => pool.currency === currency)
    .reduce((sum, { drawn, settled }) => sum + Math.max(0, drawn - settled), 0);

/** The open pool that still adds to donations. */
export const openPool = (pools: readonly PoolMessage[]): PoolMessage | undefined =>
  pools.find(({ status, left }) => status === 'open' && left > 0);
