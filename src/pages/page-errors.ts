import { randomInt } from 'node:crypto';
import { Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { within } from '../common/concurrency/within.js';
import { type DescribedError, ErrorFilter } from '../common/errors/error.filter.js';
import { Metrics } from '../common/metrics/metrics.js';
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.js';
import { SettingsService } from '../settings/settings.service.js';
import { CLOCK, QUESTION } from './donate/icons.js';
import { brand } from './donate/donate-view.js';
import { html } from './html.js';
import { LogoTones } from './logo-tones.js';
import { sendPage } from './page.js';
import { chooseLocale, fill, languagesOf, textsOf } from './texts.js';

const PAGE = 'notice';
/** Seconds until the page reloads, if the error does not contain a time. */
const TRY_AGAIN = 30;
/** Maximum random delay in seconds. It prevents all phones of a venue from reloading at the same time. */
const SPREAD = 10;
const TOO_MANY = 429;
/** Maximum wait for the branding, because the database may be unavailable. */
const BRANDING_MS = 500;

type Kind = 'busy' | 'away' | 'missing' | 'refused' | 'unsent';

/**
 * Error pages for routes that people open in a browser, and for unknown paths. After a temporary error (too many requests, an
 * unavailable dependency), the page reloads automatically. The page has the branding if it is known without waiting. Clients that
 * do not accept HTML get the usual error body.
 */
@Catch()
@Injectable()
export class PageErrors extends ErrorFilter {
  constructor(
    metrics: Metrics,
    private readonly settings: SettingsService,
    private readonly logos: LogoTones,
  ) {
    super(metrics);
  }

  protected override send(request: Request, response: Response, error: DescribedError): void {
    if (!this.wantsPage(request)) {
      super.send(request, response, error);
      return;
    }
    this.branding()
      .then((settings) => {
        sendErrorPage(request, response, error, settings);
      })
      .catch(() => {
        super.send(request, response, error);
      });
  }

  protected wantsPage(request: Request): boolean {
    return (isForm(request) || isRead(request)) && request.accepts(['json', 'html']) === 'html';
  }

  private async branding(): Promise<Settings | undefined> {
    try {
      const settings = (await within(BRANDING_MS, Promise.resolve(this.settings.lastKnown()))).value.inForce;
      await this.logos.read(settings);
      return settings;
    } catch {
      return undefined;
    }
  }
}

/**
 * Error pages for the routes of the API. Only a browser that opens the address as a page gets one, because programs may accept
 * HTML without meaning it. Browsers name this purpose in a header that scripts cannot set.
 */
@Catch()
export class NavigationErrors extends PageErrors {
  protected override wantsPage(request: Request): boolean {
    return request.headers['sec-fetch-dest'] === 'document' && super.wantsPage(request);
  }
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
const isForm = (request: Request): boolean =>
  request.method === 'POST' && typeof request.is('application/x-www-form-urlencoded') === 'string';

function kindOf(request: Request, status: number): Kind {
  if (status === TOO_MANY) return 'busy';
  if (status >= 500) return 'away';
  if (isForm(request)) return 'unsent';
  return status === 404 || status === 410 ? 'missing' : 'refused';
}

function sendErrorPage(
  request: Request,
  response: Response,
  { body: { statusCode: status }, retryAfter = TRY_AGAIN }: DescribedError,
  known: Settings | undefined,
): void {
  const kind = kindOf(request, status);
  const passes = kind === 'busy' || kind === 'away';
  const seconds = Math.ceil(retryAfter) + randomInt(SPREAD);
  // The browser must not reload a form automatically, because the donor must decide to send it again.
  const reloads = passes && !isForm(request);
  if (reloads) response.setHeader('Refresh', String(seconds));
  // An overlay is shown on top of a video, so it must stay empty until the wall works again.
  if (request.query.mode === 'overlay') {
    response
      .set('Cache-Control', 'no-store')
      .status(status)
      .type('html')
      .send(`<!doctype html><title>${String(status)}</title>`);
    return;
  }
  const settings = known ?? DEFAULT_SETTINGS;
  const locale = chooseLocale(
    { default: settings.locales.default, supported: languagesOf(PAGE) },
    request.query.lang,
    request.headers['accept-language'],
  );
  const texts = textsOf(PAGE, locale);
  const again = html`<a class="button" href="">${texts.again}</a>`;
  const home = html`<a class="button" href="/">${texts.home}</a>`;
  sendPage(response, {
    name: PAGE,
    title: [texts[`${kind}.title`], known?.organization].filter(Boolean).join(' · '),
    locale,
    settings,
    personal: true,
    status,
    // The error page may be shown in frames of every site, because the failed page may allow frames too.
    sources: { 'frame-ancestors': ['*'] },
    body: html`<div class="page">
      <header>${known && brand(known)}</header>
      <main class="page__main">
        <section class="notice card">
          ${passes ? CLOCK : QUESTION}
          <h1 class="notice__title">${texts[`${kind}.title`]}</h1>
          <p class="notice__text">
            ${fill(isForm(request) ? texts['unsent.text'] : texts[`${kind}.text`], { seconds })}
          </p>
          <p class="notice__links">${reloads ? again : !isForm(request) && home}</p>
        </section>
      </main>
    </div>`,
  });
}
