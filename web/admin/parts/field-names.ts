import { known, t, type TextKey } from '../../desk/texts.js';

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
  email: 'field.email',
  password: 'field.password',
  totp: 'signin.factor',
  to: 'connections.to',
  reason: 'refund.reason',
  eventId: 'event.one',
  amount: 'donation.amount',
  type: 'donation.kind',
  donorName: 'donor.name',
  donorEmail: 'field.email',
  message: 'donation.message',
  isAnonymous: 'donation.anonymous',
  paddle: 'donation.paddle',
  phone: 'guest.field.phone',
  table: 'guest.field.table',
  seat: 'guest.field.seat',
  party: 'guest.field.party',
  isVip: 'guest.field.isVip',
  needsHelp: 'guest.field.needsHelp',
  sharesPaddleWith: 'donation.paddle',
  note: 'donation.note',
  reference: 'field.reference',
  recordedAt: 'record.received',
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
  'theme.assets.picture': 'settings.picture',
  'theme.variables.--brand-color': 'settings.colourBrand',
  'theme.variables.--background-color': 'settings.colourBack',
  'theme.variables.--text-color': 'settings.colourText',
  'donation.minAmount': 'settings.least',
  'donation.maxAmount': 'settings.most',
  'donation.presets': 'settings.presets',
  'donation.confirmOfflineAbove': 'settings.confirmAbove',
  'donation.maxOfflineAmount': 'settings.mostOffline',
  'donation.monthlyUrl': 'settings.monthlyUrl',
  'donation.showLatest': 'settings.showLatest',
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
  'live.wall.nextGoal': 'settings.nextGoal',
  'live.slides.images': 'settings.slides',
  'live.slides.everyMinutes': 'settings.slidesEvery',
  'live.slides.showSeconds': 'settings.slidesFor',
  'live.wall.sound': 'settings.goalSound',
  'embed.origins': 'settings.embed',
  'privacy.retainUnpaidDays': 'settings.retain',
  'privacy.guestDays': 'settings.guestDays',
};

const MONEY = new Set([
  'amount',
  'goalAmount',
  'donation.minAmount',
  'donation.maxAmount',
  'donation.presets',
  'donation.confirmOfflineAbove',
  'donation.maxOfflineAmount',
  'donation.coverFee.fixed',
  'live.celebrateFrom',
  'live.wall.nextGoal',
]);
/** True if the field is an amount in minor units. */
export const isMoney = (field: string): boolean => MONEY.has(field);

/** Label of a field in the reader's language; its path if this release has no label for the field. */
export function fieldName(field: string): string {
  const key = NAMES[field];
  if (key !== undefined) return t(key);
  const last = field.slice(field.lastIndexOf('.') + 1);
  if (field.startsWith('donation.presetLines')) return t('settings.presetLines');
  const group = field.startsWith('donation.fields.') ? 'settings.field' : 'settings.auth';
  return known(group, last) ?? field;
}
