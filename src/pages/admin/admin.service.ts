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

/** Minor units other than two decimals, by currency. */
const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);

/** What the desk's script is told with the page; everything else it asks the API for. */
export interface AdminModel {
  readonly organization: string;
  readonly locale: string;
  readonly languages: readonly string[];
  /** What something new may be in. */
  readonly currencies: readonly string[];
  readonly exponents: Readonly<Record<string, number>>;
  /** The version of this release, for the footer. */
  readonly version: string;
}

/** `/admin`: the shell of the desk. The same for everybody, and it holds nothing that is not public. */
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
    // The team reads its own language, whichever ones the charity offers to donors.
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
    // Tables and warnings must stay readable whatever colours a charity's wall has.
    settings: { theme: { assets: {}, variables: {} } },
    // The previews of the donate page and the wall, and pictures that were just chosen.
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
