/** What is left to do before the second value of `PIN_SECRET` can go. */
export interface Remaining {
  readonly rows: readonly {
    readonly one: string;
    readonly many: string;
    /** Rows that the second value alone opens. */
    readonly bySecond: number;
    /** Rows that no value opens. */
    readonly byNone: number;
  }[];
  /** When the first value took over; null where no value was ever replaced. */
  readonly replacedAt: Date | null;
  /** Enrolled terminals from before that moment. */
  readonly terminals: number;
  /** Accounts with unused recovery codes from before that moment. */
  readonly accounts: number;
  /** Whether the key that counts donors can be opened. */
  readonly keyOpens: boolean;
}

const DAY_MS = 86_400_000;
/** As long as a link to pay a pledge is good, and a day for processes that were restarted later. */
const LINKS_DAYS = 61;
/** As long as answers under an `Idempotency-Key` are kept, and a day. */
const ANSWERS_DAYS = 4;

/** The line that a start with two values logs. */
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
      ? `the second still opens ${sealed.join(', ')}`
      : 'everything sealed in the database is sealed with the first',
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
        ? `of the time before ${dayOf(replacedAt)} these may still need the second: ${older.join(', ')}`
        : 'nothing needs the second any more',
    );
  } else {
    says.push('the first has not taken over from another value: nothing needs the second');
  }
  if (lost.length > 0) says.push(`neither opens ${lost.join(', ')}`);
  if (!keyOpens) says.push('neither opens the key that counts donors');
  return `PIN_SECRET has two values: ${says.join('; ')}`;
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
