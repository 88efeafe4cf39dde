const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time limits of webhooks, in milliseconds. Tests use shorter ones. */
export interface WebhookTimes {
  /** Limit of one attempt, from the look-up of the name to the status of the answer. */
  readonly answerMs: number;
  /** Time for which a message is reserved for the process that sends it; longer than `answerMs`. */
  readonly leaseMs: number;
  /** Interval between looks for messages that are due. */
  readonly lookMs: number;
  /** Interval between looks for changed pledges, which the feed of the walls does not have. */
  readonly pledgeMs: number;
  /** Wait before each attempt. After the last one, the message has failed. */
  readonly waitsMs: readonly number[];
  /** Pause between two messages that are sent again together. */
  readonly replayMs: number;
}

export const WEBHOOK_TIMES: WebhookTimes = {
  answerMs: 20 * SECOND,
  leaseMs: 60 * SECOND,
  lookMs: SECOND,
  pledgeMs: 5 * SECOND,
  waitsMs: [
    0,
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  replayMs: SECOND / 5,
};
