import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { CURRENCIES, CURRENCIES_OFFERED, currencyExponent } from '../../common/money/money.js';
import { VERSION } from '../../common/version.js';
import { SettingsService } from '../../settings/settings.service.js';
import { html } from '../html.js';
import { oldBrowserNote } from '../old-browser.js';
import { MadeOnce } from '../made-once.js';
import { type RenderedPage, renderPage, sendRendered } from '../page.js';
import { chooseLocale, FALLBACK_LANGUAGE, languagesOf, textsOf } from '../texts.js';

const PAGE = 'admin';

/** Number of decimals for each currency with fewer or more than two decimals. */
const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);

/** Data in the page for the dashboard's script. The script requests all other data from the API. */
export interface AdminModel {
  readonly organization: string;
  readonly locale: string;
  readonly languages: readonly string[];
  /** Currencies offered for new events. */
  readonly currencies: readonly string[];
  readonly exponents: Readonly<Record<string, number>>;
  /** Version of this release, for the footer. */
  readonly version: string;
}

/** `/admin`: the HTML page of the dashboard. All users get the same page, and it contains only public data. */
@Injectable()
export class AdminService {
  private readonly shells = new MadeOnce<RenderedPage>();

  constructor(
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
  ) {}

  async send(response: Response, lang: unknown, acceptLanguage: string | undefined): Promise<void> {
    const reading = await this.settings.lastKnown();
    this.ages.describe(response, reading);
    const { organization, locales } = reading.value.inForce;
    // Staff can use any language of the dashboard, even if the donors' pages are not offered in this language.
    const languages = languagesOf(PAGE);
    const preferred = chooseLocale(
      { default: FALLBACK_LANGUAGE, supported: languages },
      locales.default,
      undefined,
    );
    const locale = chooseLocale({ default: preferred, supported: languages }, lang, acceptLanguage);
    const render = () => shellOf(organization, locale, languages);
    sendRendered(response, this.shells.of(reading.value, locale, render));
  }
}

function shellOf(organization: string, locale: string, languages: readonly string[]): RenderedPage {
  const texts = textsOf(PAGE, locale);
  const data: AdminModel = {
    organization,
    locale,
    languages,
    currencies: CURRENCIES_OFFERED,
    exponents: EXPONENTS,
    version: VERSION,
  };
  return renderPage({
    name: PAGE,
    eventId: null,
    title: `${texts['nav.desk'] ?? ''} · ${organization}`,
    locale,
    // The dashboard does not use the charity's colours, so that tables and warnings stay readable.
    settings: { theme: { assets: {}, variables: {} } },
    // `frame-src` is for previews of the donate page and the wall. `img-src` is for images that the user has just selected.
    sources: { 'frame-src': ["'self'"], 'img-src': ['blob:'], 'manifest-src': ["'none'"] },
    description: `${texts['nav.desk'] ?? ''} · ${organization}`,
    personal: true,
    data,
    body: html`<div id="app" class="boot">
      <noscript>
        <p class="note">${texts['boot.noscript']}</p>
      </noscript>
      ${oldBrowserNote(PAGE, texts['boot.oldBrowser'], 'note--page')}
    </div>`,
  });
}
