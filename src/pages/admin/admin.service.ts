import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { CURRENCIES, CURRENCIES_IN_USE, currencyExponent } from '../../common/money/money.js';
import { VERSION } from '../../common/version.js';
import { SettingsService } from '../../settings/settings.service.js';
import { html } from '../html.js';
import { MadeOnce } from '../made-once.js';
import { type RenderedPage, renderPage, sendRendered } from '../page.js';
import { chooseLocale, FALLBACK_LANGUAGE, languagesOf, textsOf } from '../texts.js';

const PAGE = 'admin';

/** Number of decimals of each currency that does not have two. */
const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);

/** Data that the dashboard's script gets with the page. It requests everything else from the API. */
export interface AdminModel {
  readonly organization: string;
  readonly locale: string;
  readonly languages: readonly string[];
  /** Currencies allowed for new events. */
  readonly currencies: readonly string[];
  readonly exponents: Readonly<Record<string, number>>;
  /** Version of this release, for the footer. */
  readonly version: string;
}

/** `/admin`: the HTML shell of the dashboard. It is the same for everyone and contains only public data. */
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
    // Staff may use any language of the dashboard, independent of the donors' languages.
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
    currencies: CURRENCIES_IN_USE,
    exponents: EXPONENTS,
    version: VERSION,
  };
  return renderPage({
    name: PAGE,
    title: `${texts['nav.desk'] ?? ''} · ${organization}`,
    locale,
    // Tables and warnings must stay readable, so the charity's colours are not used.
    settings: { theme: { assets: {}, variables: {} } },
    // For previews of the donate page and the wall, and for newly chosen images.
    sources: { 'frame-src': ["'self'"], 'img-src': ['blob:'], 'manifest-src': ["'none'"] },
    description: `${texts['nav.desk'] ?? ''} · ${organization}`,
    personal: true,
    data,
    body: html`<div id="app" class="boot">
      <noscript>
        <p class="note">${texts['boot.noscript']}</p>
      </noscript>
    </div>`,
  });
}
