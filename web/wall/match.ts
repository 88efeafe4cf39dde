import type { PoolMessage } from '../../src/match/public-match.service.js';
import type { Praise } from './celebration.js';
import type { Formats } from './formats.js';
import { byId } from './model.js';
import { matchedOf, openPool } from './pools.js';

/** Shows what match pools added to the donations, and how much of the pool is left. */
export class Match {
  private readonly pools = new Map<string, PoolMessage>();
  /** Pools whose end was celebrated, or that were used up before this wall started. */
  private readonly celebrated = new Set<string>();
  private readonly root = byId('match');

  /** @param isWith true if the large total contains the matched money */
  constructor(
    private readonly formats: Formats,
    private readonly currency: string,
    private readonly isWith: boolean,
    private readonly celebrate: (praise: Praise) => void,
    private readonly onResize: () => void,
  ) {}

  /** Matched money that is not in the totals yet, in minor units of the event's currency. */
  get unpaid(): number {
    return matchedOf([...this.pools.values()], this.currency);
  }

  restart(pools: readonly PoolMessage[]): void {
    this.pools.clear();
    for (const pool of pools) {
      this.pools.set(pool.poolId, pool);
      if (pool.usedUpAt !== null) this.celebrated.add(pool.poolId);
    }
    this.show();
  }

  /** Applies a message. A message without a pool is about one that walls may not show. */
  apply(pool: Partial<PoolMessage>, live: boolean): void {
    if (pool.poolId === undefined || pool.left === undefined) return;
    const state = pool as PoolMessage;
    this.pools.set(state.poolId, state);
    if (state.left === 0 && state.drawn > 0 && !this.celebrated.has(state.poolId)) {
      this.celebrated.add(state.poolId);
      if (live)
        this.celebrate({
          id: `pool ${state.poolId}`,
          kind: 'donation',
          thanks: this.formats.text('match.usedUp'),
          amount: this.formats.money(state.cap, state.currency),
          message: state.name,
        });
    }
    this.show();
  }

  private show(): void {
    const { formats } = this;
    const pools = [...this.pools.values()];
    const pool = openPool(pools) ?? pools.find(({ status }) => status === 'open');
    const matched = this.unpaid;
    const hidden = matched === 0 && !pool;
    byId('match-sum').textContent =
      matched === 0
        ? ''
        : formats.fill(this.isWith ? 'match.with' : 'match.apart', {
            sum: formats.money(matched, this.currency),
          });
    byId('match-pool').hidden = !pool;
    if (pool) {
      byId('match-left').textContent =
        pool.left === 0
          ? formats.text('match.usedUp')
          : formats.fill('match.left', {
              left: formats.money(pool.left, pool.currency),
              cap: formats.money(pool.cap, pool.currency),
            });
      byId('match-fill').style.setProperty('--filled', `${(1 - pool.left / pool.cap) * 100}%`);
    }
    if (this.root.hidden === hidden) return;
    this.root.hidden = hidden;
    this.root.parentElement?.classList.toggle('wall__total--matched', !hidden);
    this.onResize();
  }
}
