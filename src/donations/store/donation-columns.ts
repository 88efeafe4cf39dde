import type { PostalAddress } from '../../common/text/postal-address.js';
import type { Tribute } from '../tributes/tribute.js';
import type { DonationStatus } from '../lifecycle/donation-lifecycle.js';

export const OFFLINE_TYPES = ['cash', 'check', 'card_terminal', 'bank_transfer', 'pledge', 'other'] as const;
/** Payment types that a paid pledge can have. */
export const RECEIVED_TYPES = ['cash', 'check', 'card_terminal', 'bank_transfer', 'other'] as const;
export const DONATION_TYPES = ['card', 'wallet', ...OFFLINE_TYPES] as const;

export type OfflineType = (typeof OFFLINE_TYPES)[number];
export type DonationType = (typeof DONATION_TYPES)[number];
export type MessageState = 'visible' | 'held' | 'hidden';

/** The type of a row's value for each PostgreSQL type. */
interface ColumnTypes {
  uuid: string;
  text: string;
  boolean: boolean;
  /** Minor units. */
  bigint: bigint;
  timestamptz: Date;
  bytea: Buffer;
  donation_type: DonationType;
  donation_status: DonationStatus;
  message_state: MessageState;
  jsonb: JsonColumns[keyof JsonColumns];
}

/** The type of the value of each JSON column. */
interface JsonColumns {
  address: PostalAddress;
  tribute: Tribute;
}

interface ColumnDefinition {
  readonly type: keyof ColumnTypes;
  readonly nullable: boolean;
  /** Value in a new donation: given by the caller, empty, or set by the state table. */
  readonly begins: 'given' | 'empty' | 'by rule';
  /**
   * How the column can change later: never, by a correction of donor data, by a change that sets it by name, by the state
   * table, or by a separate statement that changes neither state nor money.
   */
  readonly changes: 'never' | 'by donor' | 'by name' | 'by rule' | 'apart';
  /** The API field that shows the column; null if no field does. */
  readonly field: string | null;
  /** True if a wall or its totals show a change of the column. */
  readonly announced: boolean;
}

/**
 * Defines every column of `donation` in one place. The row type, column lists, INSERT, UPDATE and the recorder's statement are
 * derived from this definition. The API, CSV, receipts and live channel list every column, so the build fails until each of
 * them handles a new column.
 */
export const DONATION_COLUMNS = {
  id: { type: 'uuid', nullable: false, begins: 'given', changes: 'never', field: 'id', announced: false },
  event_id: {
    type: 'uuid',
    nullable: false,
    begins: 'given',
    changes: 'never',
    field: 'eventId',
    announced: false,
  },
  amount: {
    type: 'bigint',
    nullable: false,
    begins: 'given',
    changes: 'by rule',
    field: 'amount',
    announced: true,
  },
  currency: {
    type: 'text',
    nullable: false,
    begins: 'given',
    changes: 'by name',
    field: 'currency',
    announced: true,
  },
  type: {
    type: 'donation_type',
    nullable: false,
    begins: 'given',
    changes: 'by name',
    field: 'type',
    announced: false,
  },
  status: {
    type: 'donation_status',
    nullable: false,
    begins: 'by rule',
    changes: 'by rule',
    field: 'status',
    announced: true,
  },
  donor_name: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'donorName',
    announced: true,
  },
  donor_email: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'donorEmail',
    announced: false,
  },
  is_anonymous: {
    type: 'boolean',
    nullable: false,
    begins: 'given',
    changes: 'by donor',
    field: 'isAnonymous',
    announced: true,
  },
  is_amount_hidden: {
    type: 'boolean',
    nullable: false,
    begins: 'given',
    changes: 'by donor',
    field: 'isAmountHidden',
    announced: true,
  },
  message: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'message',
    announced: true,
  },
  message_state: {
    type: 'message_state',
    nullable: false,
    begins: 'given',
    changes: 'by name',
    field: null,
    announced: true,
  },
  name_state: {
    type: 'message_state',
    nullable: false,
    begins: 'given',
    changes: 'by name',
    field: null,
    announced: true,
  },
  // Identifies the donor for the number of donors.
  donor_key: {
    type: 'bytea',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: null,
    announced: true,
  },
  staff_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'staffId',
    announced: false,
  },
  staff_name: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'staffName',
    announced: false,
  },
  provider: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: null,
    announced: false,
  },
  payment_id: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by name',
    field: null,
    announced: false,
  },
  capture_id: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: null,
    announced: false,
  },
  expected_amount: {
    type: 'bigint',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: null,
    announced: false,
  },
  expected_currency: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: null,
    announced: false,
  },
  refunded_amount: {
    type: 'bigint',
    nullable: false,
    begins: 'empty',
    changes: 'by rule',
    field: 'refundedAmount',
    announced: true,
  },
  paid_at: {
    type: 'timestamptz',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: null,
    announced: false,
  },
  checked_at: {
    type: 'timestamptz',
    nullable: true,
    begins: 'empty',
    changes: 'apart',
    field: null,
    announced: false,
  },
  next_check_at: {
    type: 'timestamptz',
    nullable: true,
    begins: 'empty',
    changes: 'apart',
    field: null,
    announced: false,
  },
  fee: {
    type: 'bigint',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'fee',
    announced: false,
  },
  fee_currency: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'feeCurrency',
    announced: false,
  },
  receipt_number: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'apart',
    field: 'receiptNumber',
    announced: false,
  },
  created_at: {
    type: 'timestamptz',
    nullable: false,
    begins: 'given',
    changes: 'never',
    field: 'createdAt',
    announced: false,
  },
  updated_at: {
    type: 'timestamptz',
    nullable: false,
    begins: 'by rule',
    changes: 'by rule',
    field: 'updatedAt',
    announced: false,
  },
  completed_at: {
    type: 'timestamptz',
    nullable: true,
    begins: 'by rule',
    changes: 'by rule',
    field: 'completedAt',
    announced: false,
  },
  recorded_at: {
    type: 'timestamptz',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'recordedAt',
    announced: false,
  },
  terminal_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'terminalId',
    announced: false,
  },
  shift_id: {
    type: 'uuid',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: null,
    announced: false,
  },
  paddle: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'paddle',
    announced: false,
  },
  round_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'roundId',
    announced: false,
  },
  paid_by: {
    type: 'uuid',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'paidBy',
    announced: false,
  },
  locale: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: null,
    announced: false,
  },
  donor_address: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'donorAddress',
    announced: false,
  },
  gift_aid: {
    type: 'boolean',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'giftAid',
    announced: false,
  },
  covered_fee: {
    type: 'bigint',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'coveredFee',
    announced: false,
  },
  reference: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'reference',
    announced: false,
  },
  note: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'note',
    announced: false,
  },
  source: {
    type: 'text',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'source',
    announced: false,
  },
  guest_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'never',
    field: 'guestId',
    announced: false,
  },
  method: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'method',
    announced: false,
  },
  wallet: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'wallet',
    announced: false,
  },
  address: {
    type: 'jsonb',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'address',
    announced: false,
  },
  tribute: {
    type: 'jsonb',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'tribute',
    announced: true,
  },
  // Null without a tribute.
  tribute_state: {
    type: 'message_state',
    nullable: true,
    begins: 'given',
    changes: 'by name',
    field: null,
    announced: true,
  },
  // Null unless the record was above `live.holdFrom`.
  wall_state: {
    type: 'message_state',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'wallState',
    announced: true,
  },
  // Keyed digest of the e-mail address in the tribute.
  notified_key: {
    type: 'bytea',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: null,
    announced: false,
  },
  // Of a pledge that was paid with another amount.
  pledged_amount: {
    type: 'bigint',
    nullable: true,
    begins: 'empty',
    changes: 'by name',
    field: 'pledgedAmount',
    announced: false,
  },
  // The benefit that the donor received. Only the part above its value is a gift.
  benefit_value: {
    type: 'bigint',
    nullable: true,
    begins: 'empty',
    changes: 'by donor',
    field: 'benefitValue',
    announced: false,
  },
  benefit_text: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by donor',
    field: 'benefitText',
    announced: false,
  },
  // How a speaker says the donor's name. Public where the name is.
  donor_pronunciation: {
    type: 'text',
    nullable: true,
    begins: 'empty',
    changes: 'by donor',
    field: 'donorPronunciation',
    announced: true,
  },
  // A donation of an earlier year, imported from a list.
  is_past_donation: {
    type: 'boolean',
    nullable: false,
    begins: 'given',
    changes: 'never',
    field: 'isPastDonation',
    announced: false,
  },
  // Team of the donation: a table, a team or a person.
  team_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'by donor',
    field: 'teamId',
    announced: true,
  },
  // Only of a payment of a matcher: the pool that it pays.
  match_pool_id: {
    type: 'uuid',
    nullable: true,
    begins: 'given',
    changes: 'by name',
    field: 'matchPoolId',
    announced: true,
  },
} as const satisfies Record<string, ColumnDefinition>;

type Definitions = typeof DONATION_COLUMNS;
export type DonationColumn = keyof Definitions;

/** A row of `donation` as statements return it. */
export type DonationRow = {
  readonly [Column in DonationColumn]:
    | (Column extends keyof JsonColumns ? JsonColumns[Column] : ColumnTypes[Definitions[Column]['type']])
    | (Definitions[Column]['nullable'] extends true ? null : never);
};

type ColumnsWhere<Key extends keyof ColumnDefinition, Value> = {
  [Column in DonationColumn]: Definitions[Column][Key] extends Value ? Column : never;
}[DonationColumn];

/** Columns given by the creator of a donation. */
export type NewDonation = Pick<DonationRow, ColumnsWhere<'begins', 'given'>>;
/** Columns that are empty in a new donation. */
export type EmptyColumns = Pick<DonationRow, ColumnsWhere<'begins', 'empty'>>;
/** Columns that a correction of donor data can change. */
export type DonorColumns = Pick<DonationRow, ColumnsWhere<'changes', 'by donor'>>;
/** Columns that a change may set by name, in addition to those set by the state table. */
export type NamedColumns = Partial<Pick<DonationRow, ColumnsWhere<'changes', 'by donor' | 'by name'>>>;
/** API fields that show a column. */
export type DonationField = Exclude<Definitions[DonationColumn]['field'], null>;

const COLUMNS = Object.keys(DONATION_COLUMNS) as DonationColumn[];

/** Columns that match a condition, in definition order. */
export const columnsWhere = (holds: (definition: ColumnDefinition, column: DonationColumn) => boolean) =>
  COLUMNS.filter((column) => holds(DONATION_COLUMNS[column], column));

/** All columns for SELECT and RETURNING. With `*`, a column added later would change the result of a prepared statement. */
export const ALL_COLUMNS = COLUMNS.join(', ');
