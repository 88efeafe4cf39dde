/** A rule about money or privacy that is in only one file. */
export interface Rule {
  readonly rule: string;
  /** Path of the file with the rule, below `src/`. */
  readonly file: string;
  /** The code of the rule, and the code that neutralises it. */
  readonly from: string;
  readonly to: string;
  /** Path of the spec that fails without the rule, below `src/`. */
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

/** Rules of records and rules shared with other donations. The state table has its own test (`state-table.e2e.ts`). */
export const RULES: readonly Rule[] = [
  {
    rule: 'draft events refuse records',
    file: STATUS,
    from: "status !== 'draft' && status !== 'archived'",
    to: "status !== 'archived'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'archived events refuse records',
    file: STATUS,
    from: "status !== 'draft' && status !== 'archived'",
    to: "status !== 'draft'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'the status of the event decides if a record is accepted',
    file: RULES_OF_RECORDS,
    from: '!takes(event.status, donation)',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'only pledges can be paid while the event is closed',
    file: STATUS,
    from: "(ofPledge && status === 'closed')",
    to: "status === 'closed'",
    spec: STATUS_SPEC,
  },
  {
    rule: 'only callers with access to the event see an event that is not public',
    file: 'events/event-record.ts',
    from: '!insider && !isPublicStatus(event.status)',
    to: 'false',
    spec: 'events/event-record.spec.ts',
  },
  {
    rule: 'staff see only their own donations',
    file: STORE,
    from: "scope.kind !== 'own-event' || donation.staff_id === scope.staffId",
    to: "scope.kind !== 'own-event' || donation.staff_id !== ''",
    spec: STORE_SPEC,
  },
  {
    rule: 'staff see only donations of their event',
    file: STORE,
    from: 'if (!reachesEvent(caller, donation.event_id)) return false;',
    to: "if (donation.event_id === '') return false;",
    spec: STORE_SPEC,
  },
  {
    rule: 'a record has the currency of its event',
    file: RULES_OF_RECORDS,
    from: '    currency,\n    ...moderationStates',
    to: '    ...moderationStates',
    spec: RULES_SPEC,
  },
  {
    rule: 'no record exceeds donation.maxOfflineAmount',
    file: RULES_OF_RECORDS,
    from: 'amount > maxOfflineAmount',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a record above donation.confirmOfflineAbove needs a confirmation',
    file: RULES_OF_RECORDS,
    from: 'amount > confirmOfflineAbove && !confirmed',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a confirmed record needs no second confirmation',
    file: RULES_OF_RECORDS,
    from: ' && !confirmed',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'recorded donations keep totals within their range',
    file: RANGE,
    from: 'before + added > MOST_RECORDED',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'a record raises the total for the next record of its batch',
    file: RULES_OF_RECORDS,
    from: 'raised += countedOf(donation)?.net ?? 0n;',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'a record that adds nothing to a total passes its limit',
    file: RANGE,
    from: 'added > 0n && ',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'the sum of pledges stays within its range',
    file: RANGE,
    from: 'promised + amount > MOST_PROMISED',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'small pledges do not query the sum of pledges',
    file: RANGE,
    from: 'asksForPromised(amount) && ',
    to: '',
    spec: RULES_SPEC,
  },
  {
    rule: 'a pledge raises the sum of pledges for the next pledge of its batch',
    file: RULES_OF_RECORDS,
    from: 'promised += donation.amount;',
    to: '0;',
    spec: RULES_SPEC,
  },
  {
    rule: 'a round belongs to the event and has its currency',
    file: RULES_OF_RECORDS,
    from: 'rounds[round] !== currency',
    to: 'false',
    spec: RULES_SPEC,
  },
  {
    rule: 'records wait for approval if the settings of their event require it',
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
    rule: 'the name of an anonymous donor does not wait for approval',
    file: NEW_DONATION,
    from: '(isAnonymous ? null : donorName)',
    to: 'donorName',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'new text of a correction waits for approval',
    file: NEW_DONATION,
    from: "state === 'visible' && isNew ? fresh : state",
    to: 'state',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'a correction does not show hidden text',
    file: NEW_DONATION,
    from: "state === 'visible' && isNew",
    to: 'isNew',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'a donation without a name is anonymous',
    file: NEW_DONATION,
    from: 'donorName === null || (sent.isAnonymous ?? false)',
    to: 'sent.isAnonymous ?? false',
    spec: NEW_DONATION_SPEC,
  },
  {
    rule: 'a time long before the event is replaced',
    file: GIVEN_AT,
    from: 'said.getTime() < earliest',
    to: 'false',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'a time far in the future is replaced',
    file: GIVEN_AT,
    from: 'said.getTime() > latest',
    to: 'false',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'a time slightly in the future becomes the time of arrival',
    file: GIVEN_AT,
    from: 'said > arrived ? arrived : said',
    to: 'said',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'records from before the day of the event are compared with today',
    file: GIVEN_AT,
    from: 'Math.min(eventDate.getTime(), arrived.getTime())',
    to: 'eventDate.getTime()',
    spec: GIVEN_AT_SPEC,
  },
  {
    rule: 'records use the plausible time of their device',
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
    rule: 'the refunded amount does not count',
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
    rule: 'a retracted donation is announced',
    file: CHANGES,
    from: "[...topics, 'donation.retracted']",
    to: '[]',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'a pledge announces its round',
    file: CHANGES,
    from: 'after.round_id !== null && after.status !== before?.status',
    to: 'false',
    spec: CHANGES_SPEC,
  },
  {
    rule: 'a random UUID identifies the same record for every caller',
    file: KEYS,
    from: "RANDOM_UUID.test(header) ? 'record'",
    to: "false ? 'record'",
    spec: KEYS_SPEC,
  },
  {
    rule: 'a repeated key with another record is a different request',
    file: KEYS,
    from: "hash('sha256', canonical(request), 'buffer')",
    to: "hash('sha256', '', 'buffer')",
    spec: KEYS_SPEC,
  },
  {
    rule: 'any other key belongs to the caller who sent it',
    file: KEYS,
    from: '`${caller.role.toLowerCase()}:${caller.id}`',
    to: "'record'",
    spec: KEYS_SPEC,
  },
];

/** Only the listed files below `src/` may use these names, because each use of a limit is a decision. */
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
    'payments/intents/intended-donation.ts',
  ],
  statesOfCorrected: [NEW_DONATION, 'donations/lifecycle/corrections.service.ts'],
};
