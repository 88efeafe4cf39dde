import { currencyExponent } from '../../common/money/money.js';
import { FIRST_NAMES, LAST_NAMES } from '../sample-names.js';
import type { PlayProfile } from './dto/play.dto.js';

/** The gift of one guest of a played evening. */
export interface PlayedGuest {
  readonly kind: 'online' | 'cash' | 'pledge';
  /** Minor units. */
  readonly amount: number;
  readonly donorName: string | null;
  readonly message: string | null;
  /** True if the card of the guest is declined. */
  readonly isDeclined: boolean;
  /** True if the gift is refunded. */
  readonly isRefunded: boolean;
}

const AWKWARD_NAMES = [
  'عبد الرحمن بن خالد',
  '欧阳娜娜',
  'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh-Smythes',
  'Zoë 🎉',
  "O'Neill & Söhne <Ltd>",
];
const MESSAGES = [
  null,
  'For the new roof',
  null,
  '加油！',
  null,
  'كل التوفيق 💚',
  null,
  'Damn good evening: a word for the moderator',
  null,
  'A long message, so that the card on the wall needs more than one line and shows where the text ends.',
];
/** Whole units of the currency. */
const AMOUNTS = [25, 50, 100, 20, 250, 75, 500, 10, 40, 1_000];
const DECLINED_PERCENT = 3;

/**
 * Returns the gift of a guest. The same guest of the same profile always gives the same, so a repeat after a crash is the same
 * request. Each hundred guests have the shares of the profile.
 */
export function playedGuest(index: number, profile: PlayProfile, currency: string): PlayedGuest {
  // 37 has no common divisor with 100, so a hundred guests in a row have each place once. The first guest pays cash.
  const place = (index * 37 + 89) % 100;
  const total = profile.online + profile.cash + profile.pledge;
  const online = (profile.online / total) * 100;
  const kind =
    place < online ? 'online' : place < online + (profile.pledge / total) * 100 ? 'pledge' : 'cash';
  const unit = 10 ** currencyExponent(currency);
  const isAwkward = index % 7 === 3;
  const name = isAwkward
    ? of(AWKWARD_NAMES, (index - 3) / 7)
    : `${of(FIRST_NAMES, index)} ${of(LAST_NAMES, index * 3)}`;
  return {
    kind,
    // A currency without minor units has larger numbers.
    amount: of(AMOUNTS, index) * (unit === 1 ? 100 : unit),
    donorName: index % 9 === 8 ? null : name,
    message: of(MESSAGES, index),
    isDeclined: kind === 'online' && place < DECLINED_PERCENT,
    isRefunded: kind === 'cash' && place === 99,
  };
}

const of = <One>(list: readonly One[], index: number): One => list[index % list.length] as One;
