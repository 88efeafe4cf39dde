/** Fields of a guest that an imported file can contain. */
export const GUEST_FIELDS = [
  'name',
  'firstName',
  'lastName',
  'email',
  'phone',
  'table',
  'seat',
  'paddle',
  'party',
  'note',
  'isVip',
  'needsHelp',
  'id',
] as const;
export type GuestField = (typeof GUEST_FIELDS)[number];
