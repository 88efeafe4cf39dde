/** Timeouts of sending e-mails, in milliseconds; tests use shorter ones. */
export interface MailTimes {
  /** For the connection and the server's greeting. */
  readonly connectMs: number;
  /** For each answer of the server. */
  readonly answerMs: number;
  /** For one e-mail as a whole; shorter than the lease. */
  readonly sendMs: number;
  /** Time in which an e-mail is reserved for the process that sends it. */
  readonly leaseMs: number;
  /** Interval of queue checks without a wake-up. */
  readonly lookMs: number;
  /** Wait before the second attempt; doubled each time. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Maximum number of attempts, in a little more than two days. */
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
