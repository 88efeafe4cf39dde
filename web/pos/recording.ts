import type { Kind } from './records.js';

/** Settings of the event that limit records. Amounts are in minor units. */
export interface Rules {
  readonly presets: readonly number[];
  /** Limit for a confirmation: the event's setting or the default of its currency. Null only in an older session. */
  readonly confirmAbove: number | null;
  readonly maxAmount: number | null;
  /** Minutes within which members can undo their own records. */
  readonly undoMinutes: number;
}

/** Result of the amount check: accepted, needs confirmation, or too large. */
export type Verdict = 'fine' | 'nothing' | 'confirm' | 'too large';

export function judge(amount: number, rules: Pick<Rules, 'confirmAbove' | 'maxAmount'>): Verdict {
  if (amount <= 0) return 'nothing';
  if (rules.maxAmount !== null && amount > rules.maxAmount) return 'too large';
  if (rules.confirmAbove !== null && amount > rules.confirmAbove) return 'confirm';
  return 'fine';
}

/** The next or previous kind, for the plus and minus keys. */
export function nextKind(kinds: readonly Kind[], kind: Kind | undefined, step: 1 | -1): Kind | undefined {
  const index = kind === undefined ? (step === 1 ? -1 : 0) : kinds.indexOf(kind);
  return kinds[(index + step + kinds.length) % kinds.length];
}
