import { fillText } from '../../common/text/fill-text.js';
import type { PublicMatchPoolDto } from '../../match/dto/public-match.dto.js';

/** The parts of a pool that the sentences need. Amounts in minor units. */
export type PoolInWords = Pick<
  PublicMatchPoolDto,
  'status' | 'kinds' | 'ratio' | 'cap' | 'left' | 'perGiftCap' | 'minGift'
>;

type Words = Readonly<Record<string, string>>;

/** Formats amounts. The group contains amounts that stand side by side. */
export type Money = (amount: number, group?: readonly number[]) => string;

const ONE_TO_ONE = 10_000;
/** Types of donations that the donate page can make. */
const ONLINE: ReadonlySet<string> = new Set(['card', 'wallet', 'bank_transfer']);

/** The first open pool for online donations that has money, or else the first one that was used up. */
export function firstPool<Pool extends PoolInWords>(pools: readonly Pool[]): Pool | undefined {
  const online = pools.filter(({ kinds }) => kinds === null || kinds.some((kind) => ONLINE.has(kind)));
  return (
    online.find(({ status, left }) => status === 'open' && left > 0) ??
    online.find(({ status, left }) => left === 0 && (status === 'open' || status === 'ended'))
  );
}

/** "Donations are doubled now: 3,250 € of 10,000 € are left. Up to 500 € for a donation." */
export function matchSentence(pool: PoolInWords, texts: Words, money: Money, locale: string): string {
  const group = [pool.left, pool.cap];
  const words = {
    left: money(pool.left, group),
    cap: money(pool.cap, group),
    percent: new Intl.NumberFormat(locale, { style: 'percent' }).format(pool.ratio / ONE_TO_ONE),
  };
  const say = (key: string, values: Words) => fillText(texts[key] ?? '', values);
  if (pool.left === 0) return say('match.usedUp', words);
  const now = say(pool.ratio === ONE_TO_ONE ? 'match.doubled' : 'match.ratio', words);
  if (pool.perGiftCap === null) return now;
  return `${now} ${say('match.perGift', { amount: money(pool.perGiftCap) })}`;
}

/** "Your 50 € becomes 100 € while the fund lasts."; empty if the pool adds nothing to this amount. */
export function ownSentence(pool: PoolInWords, amount: number, texts: Words, money: Money): string {
  if (pool.left === 0 || (pool.minGift !== null && amount < pool.minGift)) return '';
  const wanted = Math.min(Math.floor((amount * pool.ratio) / ONE_TO_ONE), pool.perGiftCap ?? Infinity);
  if (wanted === 0) return '';
  const added = Math.min(wanted, pool.left);
  const group = [amount, added];
  const words = {
    amount: money(amount, group),
    sum: money(amount + added, group),
    added: money(added, group),
  };
  return fillText(texts[added < wanted ? 'match.becomesLast' : 'match.becomes'] ?? '', words);
}
