/**
 * Channel that says what was committed: an event's id where donations were, nothing where an event, the settings or the
 * schema were changed, by anybody (a trigger or a migration says so). Never within a donation's own transaction: all
 * commits that notify queue behind each other.
 */
export const CHANGES_CHANNEL = 'donations_changes';
