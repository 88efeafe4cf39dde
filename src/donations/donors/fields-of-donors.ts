/** The fields of a donation that are about the donor, or that can contain names. */
export const FIELDS_OF_DONORS = [
  'donorName',
  'donorEmail',
  'donorPronunciation',
  'donorAddress',
  'address',
  'message',
  'tribute',
  'reference',
  'note',
  'guestId',
] as const;
