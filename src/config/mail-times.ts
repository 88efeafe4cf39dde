/** Time limits for sending e-mails, in milliseconds. Tests use shorter limits. */
export interface MailTimes {
  /** Limit for the connection and the server's greeting. */
  readonly connectMs: number;
  /** Limit for each answer of the server. */
  readonly answerMs: number;
  /** Limit for sending one whole e-mail; shorter than `leaseMs`. */
  readonly sendMs: number;
  /** Time for which an e-mail is reserved for the process that sends it. */
  readonly leaseMs: number;
  /** Interval between checks of the queue if nothing wakes the sender. */
  readonly lookMs: number;
  /** Wait before the second attempt. Each further attempt doubles the wait. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Maximum number of attempts. Together they take a little more than two days. */
  readonly attempts: number;
}

export const MAIL_TIMES: MailTimes = {
  connectMs: 10_000,
  answerMs: 30_000,
  sendMs: 120_000,
  leaseMs: 300_000,
  lookMs: 5_000,
  firstRetryMs: 60_000,
  longestRetryMs: 4 * 60 * 60_000,
  attempts: 21,
};
