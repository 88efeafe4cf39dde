/** A rule about money or privacy that stands in one place. */
export interface Rule {
  readonly rule: string;
  /** Where it stands, below `src/`. */
  readonly file: string;
  /** Its words there, and those that neutralise it. */
  readonly from: string;
  readonly to: string;
  /** The spec beside the sources that fails without it, below `src/`. */
  readonly spec: string;
}

const RULES_OF_RECORDS = 'donations/recording/recording-rules.ts';
const RULES_SPEC = 'donations/recording/recording-rules.spec.ts';
const NEW_DONATION = 'donations/recording/new-donation.ts';
const NEW_DONATION_SPEC = 'donations/recording/new-donation.spec.ts';
const GIVEN_AT = 'donations/recording/given-at.ts';
const GIVEN_AT_SPEC = 'donations/recording/given-at.spec.ts';
const CHANGES = 'donations/lifecycle/donation-changes.ts';
const CHANGES_SPEC = 'donations/lifecycle/donation-changes.spec.ts';
const STORE = 'donations/store/donation-store.ts';
const STORE_SPEC = 'donations/store/donation-store.spec.ts';
const RANGE = 'totals/range-of-totals.ts';
const SETTINGS = 'settings/settings.ts';
const STATUS = 'events/event-status.ts';
const STATUS_SPEC = 'events/event-status.spec.ts';
const KEYS = 'donations/recording/idempotency.ts';
const KEYS_SPEC = 'donations/recording/idempotency.spec.ts';

/** Those of records and of what they share with all other donations. The state table has a test of its own (`state-table.e2e.ts`). */
export const RULES: readonly Rule[] = [
  {
    rule: 'a draft takes no records',
    file: STATUS,
    from: "status !== 'draft' && status !== 'archived'",
    to: "status !== 'archived'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'an archived event takes no records',
    file: STATUS,
    from: "status !== 'draft' && status !== 'archived'",
    to: "status !== 'draft'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'records are held against the state of their event',
    file: RULES_OF_RECORDS,
    from: '!event || !takesRecords(event.status)',
    to: '!event',
    spec: RULES_SPEC,
  },
  {
    rule: 'a pledge alone is paid while the event is closed',
    file: STATUS,
    from: "(ofPledge && status === 'closed')",
    to: "status === 'closed'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'an event that is not public is seen by those whose scope it is in',
    file: STATUS,
    from: '!insider && !isPublicStatus(event.status)',
    to: 'false',
    spec: STATUS_SPEC,
  },
  {
    rule: 'staff see donations of their own',
    file: STORE,
    from: 'donation.staff_id === scope.staffId && donation.event_id === scope.eventId',
    to: 'donation.event_id === scope.eventId',
    spec: STORE_SPEC,
  },
  {
    rule: 'staff see donations at their event',
    file: STORE,
    from: 'donation.staff_id === scope.staffId && donation.event_id === scope.eventId',
    to: 'donation.staff_id === scope.staffId',
    spec: STORE_SPEC,
  },
  {
    rule: 'a record is in the currency of its event',
    file: RULES_OF_RECORDS,
    from: '    currency,\n    ...moderationStates',
    to: '    ...moderationStates',
    spec: RULES_SPEC,
  },
  {
    rule: 'no record is above donation.maxOfflineAmount',
    file: RULES_OF_RECORDS,
    from: 'amount > maxOfflineAmount',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a record above donation.confirmOfflineAbove is asked about',
    file: RULES_OF_RECORDS,
    from: 'amount > confirmOfflineAbove && !confirmed',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a confirmed record is not asked about again',
    file: RULES_OF_RECORDS,
    from: ' && !confirmed',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'what people record stays within the range of totals',
    file: RANGE,
    from: 'before + added > MOST_RECORDED',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a record adds to the total that the next of its batch finds',
    file: RULES_OF_RECORDS,
    from: 'raised += countedOf(donation)?.net ?? 0n;',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'what adds nothing to a total is not refused for it',
    file: RANGE,
    from: 'added > 0n && ',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'pledges stay within their range',
    file: RANGE,
    from: 'promised + amount > MOST_PROMISED',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'small pledges are not added up',
    file: RANGE,
    from: 'asksForPromised(amount) && ',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'a pledge adds to what the next of its batch finds promised',
    file: RULES_OF_RECORDS,
    from: 'promised += donation.amount;',
    to: '0;',
    spec: RULES_SPEC,
  },
  {
    rule: 'a round is one of the event, in its currency',
    file: RULES_OF_RECORDS,
    from: 'rounds[round] !== currency',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'records wait for approval where the settings of their event say so',
    file: RULES_OF_RECORDS,
    from: '    ...moderationStates(settings.live.moderate, { donorName, isAnonymous, message }),\n',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'messages wait for approval',
    file: NEW_DONATION,
    from: "donor.message !== null && moderate !== 'none'",
    to: 'false',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'names wait for approval',
    file: NEW_DONATION,
    from: "nameOf(donor) !== null && moderate === 'all'",
    to: 'false',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'an anonymous donor has no name that could wait',
    file: NEW_DONATION,
    from: '(isAnonymous ? null : donorName)',
    to: 'donorName',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'new words of a correction wait for approval',
    file: NEW_DONATION,
    from: "state === 'visible' && isNew ? fresh : state",
    to: 'state',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'a correction does not show what is hidden',
    file: NEW_DONATION,
    from: "state === 'visible' && isNew",
    to: 'isNew',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'without a name a donation is anonymous',
    file: NEW_DONATION,
    from: 'donorName === null || (sent.isAnonymous ?? false)',
    to: 'sent.isAnonymous ?? false',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'a time of long before the event is not believed',
    file: GIVEN_AT,
    from: 'said.getTime() < earliest',
    to: 'false',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'a time far ahead is not believed',
    file: GIVEN_AT,
    from: 'said.getTime() > latest',
    to: 'false',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'a clock that is a little ahead means now',
    file: GIVEN_AT,
    from: 'said > arrived ? arrived : said',
    to: 'said',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'records from before the day of the event are held against today',
    file: GIVEN_AT,
    from: 'Math.min(eventDate.getTime(), arrived.getTime())',
    to: 'eventDate.getTime()',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'records are judged by the time that their device says',
    file: RULES_OF_RECORDS,
    from: 'said && believedTime(said, donation.created_at, date)',
    to: 'said',
    spec: RULES_SPEC,
  },
  {
    rule: 'a donation counts while it is COMPLETED',
    file: CHANGES,
    from: 'row?.status === COUNTED\n',
    to: 'row\n',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'what was given back does not count',
    file: CHANGES,
    from: 'row.amount - row.refunded_amount',
    to: 'row.amount',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'a donation is announced when it completes',
    file: CHANGES,
    from: "completes ? ['donation.created'] : []",
    to: '[]',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'a donation that is taken back is announced',
    file: CHANGES,
    from: "[...topics, 'donation.retracted']",
    to: '[]',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'the round of a pledge is announced with it',
    file: CHANGES,
    from: 'after.round_id !== null && after.status !== before?.status',
    to: 'false',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'the id of a record is the key of nobody else',
    file: KEYS,
    from: "RANDOM_UUID.test(header) ? 'record'",
    to: "false ? 'record'",
    spec: KEYS_SPEC,
  },
  {
    rule: 'the same key for another record is another request',
    file: KEYS,
    from: "hash('sha256', canonical(request), 'buffer')",
    to: "hash('sha256', '', 'buffer')",
    spec: KEYS_SPEC,
  },
  {
    rule: 'a key belongs to whoever sent it',
    file: KEYS,
    from: '`${caller.role.toLowerCase()}:${caller.id}`',
    to: "'record'",
    spec: KEYS_SPEC,
  },
];

/** Names that only these files below `src/` may use: who reads a limit or a bound decides by it. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  maxOfflineAmount: [RULES_OF_RECORDS, SETTINGS],
  confirmOfflineAbove: [RULES_OF_RECORDS, SETTINGS],
  MOST_RECORDED: [RANGE],
  MOST_PROMISED: [RANGE],
  PROMISED_UNASKED: [RANGE],
  passesRecorded: [RULES_OF_RECORDS, RANGE, 'totals/totals.ts'],
  passesPromised: [RULES_OF_RECORDS, RANGE],
  believedTime: [GIVEN_AT, RULES_OF_RECORDS],
  takesRecords: [RULES_OF_RECORDS, STATUS],
  moderationStates: [
    RULES_OF_RECORDS,
    NEW_DONATION,
    'payments/booking/payment-donor.ts',
    'payments/intents/intents.service.ts',
  ],
  statesOfCorrected: [NEW_DONATION, 'donations/lifecycle/corrections.service.ts'],
};
