import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import { percentOf } from '../../common/text/percent.js';
import type { EventRecord } from '../../events/event-record.js';
import type { CurrencyTotal } from '../../events/event-totals.service.js';
import { fill, type Texts } from '../texts.js';
import { shortMoney } from './amount.js';

interface Shown {
  readonly event: EventRecord;
  readonly total: CurrencyTotal;
  readonly texts: Texts;
  readonly locale: string;
}

/** The total of an event and its goal in words. */
export interface Progress {
  /** Whole percent of the goal, rounded down; undefined without a goal. */
  readonly percent: number | undefined;
  /** "49%"; undefined without a goal. */
  readonly share: string | undefined;
  /** "49% of the goal"; undefined without a goal. */
  readonly label: string | undefined;
  /** The goal, formatted. */
  readonly goal: string;
  /** The amount in large letters: the total, or the goal before the first donation; empty if there is neither. */
  readonly amount: string;
  /** The text after the amount. */
  readonly rest: string;
}

/** Returns the total in the event's currency, zero before the first donation. */
export const totalOf = ({ currency }: EventRecord, totals: readonly CurrencyTotal[]): CurrencyTotal =>
  totals.find((total) => total.currency === currency) ?? { currency, totalRaised: 0n, donorCount: 0 };

export const isBeforeFirst = ({ totalRaised, donorCount }: CurrencyTotal): boolean =>
  totalRaised === 0n && donorCount === 0;

export function progressOf({ event, total, texts, locale }: Shown): Progress {
  const group = [total.totalRaised, event.goalAmount].map(toJsonAmount);
  const money = (amount: bigint) =>
    shortMoney(toJsonAmount(amount), event.currency, currencyExponent(event.currency), locale, group);
  const hasGoal = event.goalAmount > 0n;
  const percent = hasGoal ? percentOf(total.totalRaised, event.goalAmount) : undefined;
  const goal = money(event.goalAmount);
  const shown = new Intl.NumberFormat(locale, { style: 'percent' }).format((percent ?? 0) / 100);
  const known = {
    percent,
    goal,
    share: hasGoal ? shown : undefined,
    label: hasGoal ? fill(texts.progress, { percent: shown }) : undefined,
  };
  if (isBeforeFirst(total))
    return {
      ...known,
      amount: hasGoal ? fill(texts['figures.goal'], { goal }) : '',
      rest: texts['figures.first'] ?? '',
    };
  const ofGoal = percent !== undefined && percent < 100 ? ` ${fill(texts.ofGoal, { goal })}` : '';
  return { ...known, amount: money(total.totalRaised), rest: `${texts.raised ?? ''}${ofGoal}` };
}
