import type { Kind } from './records.js';

/** What the event's settings say about recording. Amounts in minor units. */
export interface Rules {
  readonly presets: readonly number[];
  readonly confirmAbove: number | null;
  readonly maxAmount: number | null;
  /** How long one may take back what one recorded. */
  readonly undoMinutes: number;
}

/** Whether an amount may be recorded as it stands, needs a second look, or may not. */
export type Verdict = 'fine' | 'nothing' | 'confirm' | 'too large';

export function judge(amount: number, rules: Pick<Rules, 'confirmAbove' | 'maxAmount'>): Verdict {
  if (amount <= 0) return 'nothing';
  if (rules.maxAmount !== null && amount > rules.maxAmount) return 'too large';
  if (rules.confirmAbove !== null && amount > rules.confirmAbove) return 'confirm';
  return 'fine';
}

/** The kind after, or before, on a keyboard's plus and minus. */
export function nextKind(kinds: readonly Kind[], kind: Kind | undefined, step: 1 | -1): Kind | undefined {
  const index = kind === undefined ? (step === 1 ? -1 : 0) : kinds.indexOf(kind);
  return kinds[(index + step + kinds.length) % kinds.length];
}
