/**
 * Channel for commits. After changes of donations, the message is the id of the event. After other changes of an event, the
 * settings or the schema, the message is empty (sent by triggers and migrations). Never notify within a donation's own
 * transaction, because commits with notifications run one after the other.
 */
export const CHANGES_CHANNEL = 'donations_changes';
