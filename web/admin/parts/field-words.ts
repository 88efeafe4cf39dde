import { dateTime, money, known, number, t, type TextKey, word } from '../../desk/texts.js';
import { LANGUAGES } from '../languages.js';

/** Labels of fields: the same as in the forms. */
const NAMES: Readonly<Record<string, TextKey>> = {
  name: 'donor.name',
  slug: 'event.slug',
  date: 'event.date',
  goalAmount: 'event.goal',
  description: 'event.description',
  currency: 'event.currency',
  status: 'event.state',
  role: 'user.role',
  code: 'staff.pin',
  disabled: 'user.state.disabled',
  organization: 'settings.name',
  timezone: 'settings.timezone',
  'legal.legalName': 'settings.legalName',
  'legal.taxId': 'settings.taxId',
  'legal.address': 'settings.address',
  'legal.footer': 'settings.footer',
  'legal.signatory': 'settings.signatory',
  'payment.currency': 'settings.currency',
  'theme.assets.logo': 'settings.logo',
  'theme.variables.--brand-color': 'settings.colourBrand',
  'theme.variables.--background-color': 'settings.colourBack',
  'theme.variables.--text-color': 'settings.colourText',
  'donation.minAmount': 'settings.least',
  'donation.maxAmount': 'settings.most',
  'donation.presets': 'settings.presets',
  'donation.confirmOfflineAbove': 'settings.confirmAbove',
  'donation.maxOfflineAmount': 'settings.mostOffline',
  'donation.receiptDownload': 'settings.ownReceipt',
  'donation.fields.giftAid': 'settings.giftAid',
  'donation.coverFee.offer': 'settings.coverFee',
  'donation.coverFee.basisPoints': 'settings.feeShare',
  'donation.coverFee.fixed': 'settings.feeFixed',
  'donation.undoMinutes': 'settings.undoMinutes',
  'receipts.email': 'settings.emailReceipt',
  'locales.supported': 'settings.languages',
  'locales.default': 'settings.language',
  'live.theme': 'settings.wallTheme',
  'live.moderate': 'settings.moderate',
  'live.celebrateFrom': 'settings.celebrate',
  'embed.origins': 'settings.embed',
  'privacy.retainUnpaidDays': 'settings.retain',
};

/** Fields whose values are translated, with the text group of the values. */
const WORDS: Readonly<Record<string, string>> = {
  status: 'event.status',
  role: 'role',
  'live.theme': 'settings.wall',
  'live.moderate': 'settings.moderate',
};

const MONEY = new Set([
  'goalAmount',
  'donation.minAmount',
  'donation.maxAmount',
  'donation.presets',
  'donation.confirmOfflineAbove',
  'donation.maxOfflineAmount',
  'donation.coverFee.fixed',
  'live.celebrateFrom',
]);
const LONGEST = 120;

/** Label of a field in the reader's language; its path if this release has no label for the field. */
export function fieldName(field: string): string {
  const key = NAMES[field];
  if (key !== undefined) return t(key);
  const last = field.slice(field.lastIndexOf('.') + 1);
  const group = field.startsWith('donation.fields.') ? 'settings.field' : 'settings.auth';
  return known(group, last) ?? field;
}

/** Value of a field as text in the reader's language. Amounts are in minor units of `currency`. */
export function fieldText(field: string, value: unknown, currency: string): string {
  if (value === null || value === undefined || value === '') return t('field.empty');
  if (Array.isArray(value))
    return value.length === 0
      ? t('field.empty')
      : value.map((one) => fieldText(field, one, currency)).join(', ');
  if (typeof value === 'boolean') return t(value ? 'state.on' : 'state.off');
  if (field === 'donation.coverFee.basisPoints') return number(Number(value) / 100);
  if (typeof value === 'number')
    return MONEY.has(field) ? money(value, currency, { short: true }) : number(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  if (field === 'date') return dateTime(value);
  if (field.endsWith('urrency')) return value.toUpperCase();
  if (field.startsWith('locales.')) return LANGUAGES[value] ?? value;
  if (field.startsWith('donation.fields.')) return word('settings.mode', value);
  const group = WORDS[field];
  if (group !== undefined) return word(group, value);
  return value.length > LONGEST ? `${value.slice(0, LONGEST)} …` : value;
}
