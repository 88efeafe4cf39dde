/** Columns of the file for people, in order. */
export const PEOPLE_COLUMNS = [
  'date',
  'time',
  'donor',
  'email',
  'amount',
  'currency',
  'returned',
  'left',
  'kind',
  'status',
  'event',
  'recordedBy',
  'receipt',
  'message',
  'anonymous',
  'fee',
  'feeCurrency',
  'provider',
  'id',
  'method',
] as const;

export type PeopleColumn = (typeof PEOPLE_COLUMNS)[number];

/** Columns that only the spreadsheet has. */
export type SheetOnlyColumn =
  | 'address'
  | 'giftAid'
  | 'giftAidDay'
  | 'giftAidDeclaration'
  | 'tribute'
  | 'tributeName'
  | 'tributeMessage'
  | 'tributeNotifyEmail'
  | 'paddle'
  | 'reference'
  | 'note'
  | 'source'
  | 'coveredFee'
  | 'benefitValue'
  | 'benefitText';
