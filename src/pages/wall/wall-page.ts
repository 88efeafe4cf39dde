import { currencyExponent, CURRENCIES } from '../../common/money/currency.js';
import type { EventRecord } from '../../events/event-record.js';
import { foreignOrigin } from '../../settings/asset-address.js';
import type { Settings } from '../../settings/settings.js';
import { wallTexts } from './wall-texts.js';

export interface WallModel {
  readonly event: Pick<EventRecord, 'id' | 'name' | 'currency'>;
  readonly settings: Settings;
  /** Where the QR code leads. */
  readonly donationUrl: string;
  /** The code as an SVG element. */
  readonly qr: string;
  /** Fresh for each answer; the only inline style that the policy allows carries it. */
  readonly nonce: string;
}

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** Minor units other than two decimals, by currency. */
const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);

/** Fills the template: every `{{name}}` is escaped, except what is markup of our own making. */
export function renderWall(template: string, { event, settings, donationUrl, qr, nonce }: WallModel): string {
  const { theme, live, locales, organization } = settings;
  const locale = locales.default;
  const texts = wallTexts(locale);
  const config = {
    event: event.id,
    currency: event.currency,
    locale,
    celebrateFrom: live.celebrateFrom,
    exponents: EXPONENTS,
    texts,
  };
  const values: Record<string, string> = {
    ...escaped({
      locale,
      direction: RIGHT_TO_LEFT.has(locale.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr',
      theme: live.theme,
      eventName: event.name,
      organization,
      config: JSON.stringify(config),
      scan: texts.scan,
      latest: texts.latest,
      empty: texts.empty,
      fullscreen: texts.fullscreen,
      donationAddress: donationUrl.replace(/^https?:\/\//, '').replace(/\/$/, ''),
    }),
    logo: logo(theme.assets.logo),
    qr,
    style: style(theme.variables, nonce),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Only what this page needs: its own files, its own socket, one inline style, and pictures of the branding. */
export function wallPolicy({ settings, nonce }: Pick<WallModel, 'settings' | 'nonce'>): string {
  const logo = foreignOrigin(settings.theme.assets.logo);
  const foreign = logo === undefined ? '' : ` ${logo}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self'${foreign}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ["frame-ancestors 'self'", ...settings.embed.origins].join(' '),
  ].join('; ');
}

// Names and values come from a grammar that can end neither the declaration nor the element.
const style = (variables: Readonly<Record<string, string>>, nonce: string): string =>
  `<style nonce="${nonce}">:root{${Object.entries(variables)
    .map(([name, value]) => `${name}:${value};`)
    .join('')}}</style>`;

const logo = (address: string | undefined): string =>
  address === undefined ? '' : `<img class="wall__logo" src="${escapeHtml(address)}" alt="" />`;

const escaped = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, escapeHtml(value)]));

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
