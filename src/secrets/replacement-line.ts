/** Remaining work before the operator can remove the second value of `PIN_SECRET`. */
export interface Remaining {
  readonly rows: readonly {
    readonly one: string;
    readonly many: string;
    /** Rows that only the second value decrypts. */
    readonly bySecond: number;
    /** Rows that no value decrypts. */
    readonly byNone: number;
  }[];
  /** Time when the first value of `PIN_SECRET` became active; null if the secret was never replaced. */
  readonly replacedAt: Date | null;
  /** Number of terminals enrolled before `replacedAt`. */
  readonly terminals: number;
  /** Number of accounts with unused recovery codes from before `replacedAt`. */
  readonly accounts: number;
  /** True if the donor key can be decrypted. */
  readonly keyOpens: boolean;
}

const DAY_MS = 86_400_000;
/** Lifetime in days of a link to pay a pledge. One more day is added, because some processes restart later than others. */
const LINKS_DAYS = 61;
/** Days for which answers are stored for an `Idempotency-Key`, plus one day. */
const ANSWERS_DAYS = 4;

/** Returns the log line for a start with two values of `PIN_SECRET`. */
export function replacementLine(
  { rows, replacedAt, terminals, accounts, keyOpens }: Remaining,
  now = new Date(),
): string {
  const counted = (field: 'bySecond' | 'byNone') =>
    rows
      .filter((row) => row[field] > 0)
      .map((row) => `${row[field]} ${row[field] === 1 ? row.one : row.many}`);
  const sealed = counted('bySecond');
  const lost = counted('byNone');
  const says = [
    sealed.length > 0
      ? `only the second decrypts ${sealed.join(', ')}`
      : 'all encrypted values in the database use the first',
  ];
  if (replacedAt) {
    const until = (days: number) => new Date(replacedAt.getTime() + days * DAY_MS);
    const older = [
      ...(terminals > 0 ? [`${terminals} enrolled ${terminals === 1 ? 'terminal' : 'terminals'}`] : []),
      ...(accounts > 0 ? [`recovery codes of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`] : []),
      ...(now < until(ANSWERS_DAYS) ? [`repeated requests until ${dayOf(until(ANSWERS_DAYS))}`] : []),
      ...(now < until(LINKS_DAYS) ? [`links to pay pledges until ${dayOf(until(LINKS_DAYS))}`] : []),
    ];
    says.push(
      older.length > 0
        ? `from before ${dayOf(replacedAt)}, these may still need the second: ${older.join(', ')}`
        : 'nothing needs the second any more',
    );
  } else {
    says.push('the first has not replaced another value: nothing needs the second');
  }
  if (lost.length > 0) says.push(`neither decrypts ${lost.join(', ')}`);
  if (!keyOpens) says.push('neither decrypts the donor key');
  return `PIN_SECRET has two values: ${says.join('; ')}`;
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
