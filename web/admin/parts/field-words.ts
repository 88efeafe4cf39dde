import { dateTime, money, number, t, word } from '../../desk/texts.js';
import { LANGUAGES } from '../languages.js';
import type { TributeDto } from '../../../src/donations/tributes/tribute.dto.js';
import { tributeLine } from './tribute-fields.js';
import { isMoney } from './field-names.js';

/** Fields whose values are translated, with the text group of the values. */
const WORDS: Readonly<Record<string, string>> = {
  status: 'event.status',
  role: 'role',
  'team.kind': 'team.kind',
  'live.theme': 'settings.wall',
  'live.moderate': 'settings.moderate',
  'boards.order': 'settings.boardOrder',
  'live.match.mode': 'settings.matchMode',
  'live.match.total': 'settings.matchTotal',
  remainder: 'match.remainder',
  pledges: 'match.pledges',
  'donation.giftAidScope': 'giftAid.scope',
};

const LONGEST = 120;

/** Value of a field as text in the reader's language. Amounts are in minor units of `currency`, which may be unknown. */
export function fieldText(field: string, value: unknown, currency: string | undefined): string {
  if (value === null || value === undefined || value === '') return t('field.empty');
  if (Array.isArray(value))
    return value.length === 0
      ? t('field.empty')
      : value.map((one) => fieldText(field, one, currency)).join(', ');
  if (typeof value === 'boolean') return t(value ? 'state.on' : 'state.off');
  if (field === 'donation.coverFee.basisPoints') return number(Number(value) / 100);
  if (typeof value === 'number') return isMoney(field) ? amountText(value, currency) : number(value);
  if (field === 'tribute') return tributeLine(value as TributeDto);
  if (typeof value !== 'string') return JSON.stringify(value);
  if (field === 'date') return dateTime(value);
  if (field.endsWith('urrency')) return value.toUpperCase();
  if (field.startsWith('locales.')) return LANGUAGES[value] ?? value;
  if (field.startsWith('donation.fields.')) return word('settings.mode', value);
  const group = WORDS[field];
  if (group !== undefined) return word(group, value);
  return value.length > LONGEST ? `${value.slice(0, LONGEST)} …` : value;
}

/** Amount as money; in minor units if the currency is unknown, as in audit entries of version 1.0. */
export const amountText = (amount: number, currency: string | undefined): string =>
  currency === undefined
    ? t('auditDetail.minorUnits', { amount: number(amount) })
    : money(amount, currency, { short: true });
