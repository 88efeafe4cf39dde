import type { GuestDto } from '../../src/guests/dto/guest.dto.js';
import { checkInCode, readCheckInCode } from '../../src/common/text/check-in-code.js';
import { t } from './texts.js';

/** A guest as the server sends it. */
export type Guest = { readonly [Field in keyof GuestDto]: GuestDto[Field] };

/** A guest on this terminal, with the text that the search reads. */
export type KeptGuest = Guest & { readonly searched: string };

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Adds the text that the search reads: name, group, table and paddle, without accents. */
export const keptGuest = (guest: Guest): KeptGuest => ({
  ...guest,
  searched: plain(
    [guest.name, guest.party, guest.table, guest.paddle].filter((text) => text !== null).join(' '),
  ),
});

/** Returns the guests whose name, group, table or paddle contains each typed word. */
export function matching(guests: readonly KeptGuest[], typed: string): readonly KeptGuest[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return guests;
  return guests.filter(({ searched }) => words.every((word) => searched.includes(word)));
}

/** Returns the guests with a typed or scanned code; undefined if the text is no code. */
export function withCode(guests: readonly KeptGuest[], typed: string): readonly KeptGuest[] | undefined {
  const code = readCheckInCode(typed);
  return code === undefined ? undefined : guests.filter(({ id }) => checkInCode(id) === code);
}

/** Text about a guest for the paddle screen: table, first name and initial, because other guests can see the screen. */
export function labelOf({ name, table }: Pick<Guest, 'name' | 'table'>): string {
  const [first = '', ...others] = name.split(' ');
  const initial = others.at(-1)?.match(/\p{L}/u)?.[0];
  const short = initial === undefined ? first : `${first} ${initial}.`;
  return table === null ? short : `${t('guests.table', { table })} · ${short}`;
}
