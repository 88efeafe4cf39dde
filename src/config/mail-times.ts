/** How patient the sending of e-mails is, in milliseconds; a test chooses shorter ones. */
export interface MailTimes {
  /** For a connection and the server's greeting. */
  readonly connectMs: number;
  /** For each answer of the server. */
  readonly answerMs: number;
  /** For one e-mail as a whole; shorter than the lease. */
  readonly sendMs: number;
  /** For how long an e-mail that a process is sending is nobody else's. */
  readonly leaseMs: number;
  /** How often the queue is looked at without being woken. */
  readonly lookMs: number;
  /** Before the second try; twice as long each time. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Then it is given up: a little more than two days. */
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
