/**
 * Channel for commits. The message is an event's id after changes of donations, and empty after other changes of an event, the
 * settings or the schema (sent by triggers and migrations). Never notify within a donation's own transaction: commits that notify
 * run one after the other.
 */
export const CHANGES_CHANNEL = 'donations_changes';
