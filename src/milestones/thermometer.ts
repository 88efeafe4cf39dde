/*
 * The scale of a thermometer that grows: it ends at the next step, so that the next step is always in sight. Pure functions, for
 * the wall, its overlay and the donate page. Amounts are integers in minor units of one currency.
 */

/** A step or a goal on the thermometer. */
export interface Mark {
  readonly amount: number;
  /** A reached step stays reached when the total falls below it. */
  readonly isReached: boolean;
}

export interface Thermometer<One extends Mark> {
  /** The amount at the end of the scale; above zero. */
  readonly end: number;
  /** Filled part of the bar, from 0 to 1. */
  readonly filled: number;
  /** The mark at the end of the scale; undefined if no mark is left. */
  readonly next: One | undefined;
  /** The marks on the scale, lowest first, each with its place from 0 to 1. */
  readonly ticks: readonly Tick<One>[];
}

export interface Tick<One extends Mark> {
  readonly mark: One;
  readonly at: number;
}

/** Maximum number of labels, the label of the next step included. */
export const MOST_LABELS = 6;
/** Free part of the scale above the total when no mark is left. */
const ROOM = 1.05;
const ROUND = [1, 2, 2.5, 5, 10];

/** Returns the smallest 1, 2, 2.5 or 5 × 10ⁿ that is an integer above `amount`. */
export function roundAbove(amount: number): number {
  for (let power = 10 ** Math.floor(Math.log10(Math.max(1, amount))); ; power *= 10)
    for (const one of ROUND) {
      const round = one * power;
      if (Number.isInteger(round) && round > amount) return round;
    }
}

/** Returns the scale for a total. A negative total counts as zero. */
export function thermometer<One extends Mark>(total: number, marks: readonly One[]): Thermometer<One> {
  const shown = Math.max(0, total);
  const sorted = [...marks].sort((one, other) => one.amount - other.amount);
  const next = sorted.find(({ amount, isReached }) => amount > shown && !isReached);
  // A reached step can be above the total, after a refund or with pledges. It stays in sight.
  const highest = Math.max(
    shown * ROOM,
    ...sorted.filter(({ isReached }) => isReached).map(({ amount }) => amount),
  );
  const end = next?.amount ?? roundAbove(highest);
  const ticks = sorted.filter(({ amount }) => amount <= end).map((mark) => ({ mark, at: mark.amount / end }));
  return { end, filled: Math.min(1, shown / end), next, ticks };
}

/** Returns the ticks that may have a label, the most important first: the next step, then the reached ones from the highest. */
export const labelled = <One extends Mark>({ ticks, next }: Thermometer<One>): Tick<One>[] => [
  ...ticks.filter(({ mark }) => mark === next),
  ...ticks.filter(({ mark }) => mark !== next && mark.isReached).reverse(),
];

/**
 * Returns where boxes start on a line, so that none overlaps another or leaves the line; undefined for a box without a place.
 * Each box is centred at its place if that is possible. Earlier boxes come first.
 * @param boxes place from 0 to 1, and width
 * @param gap free space between two boxes
 * @param most maximum number of placed boxes
 */
export function placeBoxes(
  boxes: readonly { readonly at: number; readonly width: number }[],
  length: number,
  gap: number,
  most = Infinity,
): (number | undefined)[] {
  const taken: { start: number; end: number }[] = [];
  return boxes.map(({ at, width }) => {
    const start = Math.max(0, Math.min(length - width, at * length - width / 2));
    const isFree = taken.every((other) => start + width + gap <= other.start || other.end + gap <= start);
    if (width > length || taken.length >= most || !isFree) return undefined;
    taken.push({ start, end: start + width });
    return start;
  });
}

/** Largest missing part of a step at which the donate page names the missing amount. */
const NEARLY = 0.2;

/**
 * Returns the amount that is missing to the next step, if at most a fifth of the step is missing; otherwise undefined. A step
 * begins at the mark before it, or at zero.
 */
export function nearlyReached<One extends Mark>(
  total: number,
  marks: readonly One[],
): { readonly mark: One; readonly missing: number } | undefined {
  const shown = Math.max(0, total);
  const { next: mark } = thermometer(shown, marks);
  if (!mark) return undefined;
  const before = Math.max(0, ...marks.map(({ amount }) => amount).filter((amount) => amount < mark.amount));
  const missing = mark.amount - shown;
  return missing <= (mark.amount - before) * NEARLY ? { mark, missing } : undefined;
}
