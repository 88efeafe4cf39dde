/** Fields of a pledge that an imported file can contain. */
export const PLEDGE_FIELDS = [
  'amount',
  'name',
  'firstName',
  'lastName',
  'email',
  'address',
  'paddle',
  'round',
  'reference',
  'note',
  'currency',
  'id',
] as const;

/** Fields of a past donation that an imported file can contain. */
export const PAST_FIELDS = [
  'amount',
  'date',
  'name',
  'firstName',
  'lastName',
  'email',
  'address',
  'type',
  'reference',
  'note',
  'currency',
  'status',
  'refunded',
  'id',
] as const;

export type DonationImportField = (typeof PLEDGE_FIELDS)[number] | (typeof PAST_FIELDS)[number];

/** Decimal signs of amounts. */
export const DECIMALS = ['.', ','] as const;
export type Decimal = (typeof DECIMALS)[number];

/** Orders of day and month in dates such as 03/04/2026. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** How a file writes amounts and dates. */
export interface ValueFormats {
  readonly decimal: Decimal;
  readonly dateOrder: DateOrder;
}
