import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { CURRENCIES, currencyExponent } from '../../common/money/money.js';
import type { Settings } from '../../settings/settings.js';
import { type GlobalSettings, SettingsService } from '../../settings/settings.service.js';
import { html } from '../html.js';
import { oldBrowserNote } from '../old-browser.js';
import { MadeOnce } from '../made-once.js';
import { type RenderedPage, renderPage, sendRendered } from '../page.js';
import { stylesOf } from '../page-colours.js';
import { chooseLocale, languageOfTexts, localeOfTexts, textsOf } from '../texts.js';
import { webFiles } from '../web-files.js';

const PAGE = 'pos';
export const POS_PATH = '/pos';
/** Fonts that the terminal stores at the installation. Other fonts are stored when they are first used. */
const FIRST_FONTS = /\/sans-latin[\w-]*\.woff2$/;
/** Background colours while the app starts. They must equal the default values of `--paper` and `--brand`. */
const PAPER = { light: '#fbf7f0', dark: '#0f1a16' };
const BRAND = '#0d5c4c';

/** Number of decimals for each currency with fewer or more than two decimals. */
const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);

/** Data for the POS script. */
export interface PosModel {
  /** Version of the files and of the embedded data. When the version changes, the terminal stores the new page. */
  readonly version: string;
  readonly organization: string;
  /** BCP 47; the volunteer may choose another language. */
  readonly locale: string;
  readonly language: string;
  readonly exponents: Readonly<Record<string, number>>;
}

/** `/pos`. All terminals get the same page; each terminal stores its own data. */
@Injectable()
export class PosService {
  private readonly shells = new MadeOnce<RenderedPage>();
  private readonly texts = new MadeOnce<string>();

  constructor(
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
  ) {}

  async sendPage(response: Response, lang: unknown, acceptLanguage: string | undefined): Promise<void> {
    const stored = await this.stored(response);
    const locale = chooseLocale(stored.inForce.locales, lang, acceptLanguage);
    sendRendered(
      response,
      this.shells.of(stored, locale, () => shellOf(stored.inForce, locale)),
    );
  }

  async sendManifest(response: Response): Promise<void> {
    const stored = await this.stored(response);
    response.setHeader('Content-Type', 'application/manifest+json; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.send(this.texts.of(stored, 'manifest', () => manifestOf(stored.inForce)));
  }

  /**
   * Sends the service worker, which stores the page on the terminal. The first line of the script lists the files of this
   * version. So the script changes whenever a file changes, and the browser then stores the new page.
   */
  async sendServiceWorker(response: Response): Promise<void> {
    const stored = await this.stored(response);
    response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('Service-Worker-Allowed', POS_PATH);
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self'; connect-src 'self'",
    );
    response.send(this.texts.of(stored, 'service-worker', () => serviceWorkerOf(stored.inForce)));
  }

  private async stored(response: Response): Promise<GlobalSettings> {
    const reading = await this.settings.lastKnown();
    this.ages.describe(response, reading);
    return reading.value;
  }
}

function shellOf(settings: Settings, locale: string): RenderedPage {
  const texts = textsOf(PAGE, locale);
  const { icons } = webFiles().of(PAGE);
  const data: PosModel = {
    version: versionOf(settings),
    organization: settings.organization,
    locale,
    language: languageOfTexts(PAGE, locale),
    exponents: EXPONENTS,
  };
  return renderPage({
    name: PAGE,
    eventId: null,
    title: `${texts.title ?? ''} · ${settings.organization}`,
    locale,
    settings,
    description: texts.lead ?? '',
    data,
    personal: true,
    sources: { 'worker-src': ["'self'"], 'manifest-src': ["'self'"] },
    head: html`<link rel="manifest" href="${POS_PATH}/manifest.webmanifest" />
      <link rel="apple-touch-icon" href="${icons['180.png']}" />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content="${PAPER.light}" />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content="${PAPER.dark}" />`,
    body: html`<div id="app"><p class="starting" role="status">${texts.starting}</p></div>
      <noscript><p class="starting">${texts.noScript}</p></noscript>
      ${oldBrowserNote(PAGE, texts.oldBrowser, 'note--page')}`,
  });
}

function manifestOf({ organization, locales }: Settings): string {
  const texts = textsOf(PAGE, locales.default);
  const { icons } = webFiles().of(PAGE);
  const icon = (name: string, sizes: string, purpose: string) => ({
    src: icons[name],
    sizes,
    type: name.endsWith('.svg') ? 'image/svg+xml' : 'image/png',
    purpose,
  });
  return JSON.stringify({
    id: POS_PATH,
    name: `${texts.title ?? ''} · ${organization}`,
    short_name: texts.title,
    lang: localeOfTexts(PAGE, locales.default),
    start_url: POS_PATH,
    scope: POS_PATH,
    display: 'standalone',
    background_color: PAPER.light,
    theme_color: BRAND,
    icons: [
      icon('icon.svg', 'any', 'any'),
      icon('192.png', '192x192', 'any'),
      icon('512.png', '512x512', 'any'),
      icon('maskable-512.png', '512x512', 'maskable'),
    ],
  });
}

function serviceWorkerOf(settings: Settings): string {
  const shell = { version: versionOf(settings), page: POS_PATH, files: filesToKeep() };
  const { script = '' } = webFiles().of('pos/service-worker');
  return `const SHELL=${JSON.stringify(shell)};\n${webFiles().textOf(script)}`;
}

function filesToKeep(): string[] {
  const files = webFiles();
  const { script, styles, parts } = files.of(PAGE);
  const kept = parts.filter((part) => !part.endsWith('.woff2') || FIRST_FONTS.test(part));
  const world = files.of('kit/fonts-world').styles;
  return [...new Set([...(script ? [script] : []), ...styles, ...kept, ...world, files.icon])];
}

const versionOf = ({ organization, theme, locales }: Settings): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        filesToKeep(),
        webFiles().of('pos/service-worker'),
        organization,
        theme,
        stylesOf(theme.variables, undefined),
        locales,
      ]),
    )
    .digest('hex')
    .slice(0, 12);
