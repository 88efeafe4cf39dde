import type { Request, Response } from 'express';
import { formatMoney } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import { OWN_PAGE_PATH } from '../../mail/content/own-page-email.js';
import type { Settings } from '../../settings/settings.js';
import { brand } from '../donate/donate-view.js';
import { type Html, html } from '../html.js';
import { languageLinks } from '../language-links.js';
import { sendPage } from '../page.js';
import { chooseLocale, languagesOf, localeOfFormats, localeOfTexts, type Texts, textsOf } from '../texts.js';

const PAGE = 'me';

/** Data that all pages of a donor need. */
export interface MeView {
  readonly settings: Settings;
  /** BCP 47. */
  readonly locale: string;
  readonly texts: Texts;
  /** The language of the address, as a query, so that the next page has the same language. Empty without a chosen language. */
  readonly query: string;
  /** Path of this page for the links to other languages. */
  readonly path: string;
}

export function viewOf(settings: Settings, request: Request): MeView {
  const { lang } = request.query;
  const { locales } = settings;
  const supported = [...languagesOf(PAGE), ...locales.supported.filter(hasTexts)];
  const locale = chooseLocale(
    { default: locales.default, supported },
    lang,
    request.headers['accept-language'],
  );
  return {
    settings,
    locale,
    texts: textsOf(PAGE, locale),
    query: lang === undefined ? '' : `?lang=${encodeURIComponent(locale)}`,
    path: request.method === 'POST' ? OWN_PAGE_PATH : request.path,
  };
}

/** The language of the chosen page, for e-mails and files. */
export const readerOf = ({ locale }: Pick<MeView, 'locale'>): string => localeOfFormats(PAGE, locale);

const hasTexts = (locale: string): boolean => localeOfTexts(PAGE, locale) === locale;

/** Returns a path of the donor's pages in the language of this page. */
export const pathTo = ({ query }: Pick<MeView, 'query'>, path = ''): string =>
  `${OWN_PAGE_PATH}${path}${query}`;

export const moneyIn = ({ locale }: MeView, amount: bigint, currency: string): string =>
  formatMoney(amount, currency, localeOfFormats(PAGE, locale));

export const dayIn = ({ locale, settings }: MeView, time: Date, currency?: string): string =>
  dateInWords(time, localeOfFormats(PAGE, locale), settings.timezone, { currency });

/** A button that sends a form. The field distinguishes the form from a request without a body, whose origin is not checked. */
export const sendButton = (label: string | undefined, className = 'button'): Html =>
  html`<button class="${className}" name="go" value="1">${label}</button>`;

interface Shown {
  readonly title: string | undefined;
  readonly content: Html;
  readonly status?: number;
  /** True for a page with one message. */
  readonly isSingle?: boolean;
}

export function sendMe(
  response: Response,
  view: MeView,
  { title, content, status = 200, isSingle }: Shown,
): void {
  const { settings, locale, texts } = view;
  sendPage(response, {
    name: PAGE,
    title: `${title ?? ''} · ${settings.organization}`,
    locale,
    settings,
    personal: true,
    status,
    body: html`<div class="me">
      <header>${brand(settings)}</header>
      <main class="me__main ${isSingle && html`me__main--single`}">${content}</main>
      <footer class="me__foot">
        ${languageLinks(view.path, {
          languages: languagesOf(PAGE),
          chosen: locale.split('-', 1)[0] ?? '',
          label: texts.language,
        })}
      </footer>
    </div>`,
  });
}
