/** How long one connection may take for what, in milliseconds. */
export interface DatabaseTimes {
  readonly statementMs: number;
  /** For one lock. Longer than an idle transaction lives, so that a frozen process is outwaited. */
  readonly lockMs: number;
  /** A transaction whose process says nothing is ended and gives its locks back. */
  readonly idleInTransactionMs: number;
  /** For an answer to arrive here: later than the server's own limit, for a network that swallows packets. */
  readonly answerMs: number;
}

export const DATABASE_TIMES: DatabaseTimes = {
  statementMs: 15_000,
  lockMs: 8_000,
  idleInTransactionMs: 5_000,
  answerMs: 20_000,
};
