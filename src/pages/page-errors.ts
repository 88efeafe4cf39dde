import { randomInt } from 'node:crypto';
import { Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type DescribedError, ErrorFilter } from '../common/errors/error.filter.js';
import { DEFAULT_SETTINGS } from '../settings/settings.js';
import { CLOCK } from './donate/icons.js';
import { notice } from './donate/donate-view.js';
import { html } from './html.js';
import { sendPage } from './page.js';
import { chooseLocale, FALLBACK_LANGUAGE, fill, languagesOf, textsOf } from './texts.js';

const PAGE = 'donate';
/** Seconds until the page reloads, if the error does not contain a time. */
const TRY_AGAIN = 30;
/** Maximum random delay in seconds. It prevents all phones of a venue from reloading at the same time. */
const SPREAD = 10;
const TOO_MANY = 429;

/**
 * Error pages for routes that people open in a browser. After a temporary error (too many requests, an unavailable dependency),
 * the page reloads automatically. The page needs no database, because the database may be unavailable. Other errors get the
 * usual error body, and so do clients that do not accept HTML.
 */
@Catch()
export class PageErrors extends ErrorFilter {
  protected override send(request: Request, response: Response, error: DescribedError): void {
    const { body, retryAfter = TRY_AGAIN } = error;
    const passes = body.statusCode === TOO_MANY || body.statusCode >= 500;
    if (!passes || request.accepts(['json', 'html']) !== 'html') {
      super.send(request, response, error);
      return;
    }
    const locale = chooseLocale(
      { default: FALLBACK_LANGUAGE, supported: languagesOf(PAGE) },
      request.query.lang,
      request.headers['accept-language'],
    );
    const texts = textsOf(PAGE, locale);
    const kind = body.statusCode === TOO_MANY ? 'busy' : 'away';
    // The browser must not reload a form automatically, because the donor must decide to send it again.
    const isForm = request.method === 'POST';
    const seconds = Math.ceil(retryAfter) + randomInt(SPREAD);
    if (!isForm) response.setHeader('Refresh', String(seconds));
    // An overlay is shown on top of a video, so it must stay empty until the wall works again.
    if (request.query.mode === 'overlay') {
      response
        .set('Cache-Control', 'no-store')
        .status(body.statusCode)
        .type('html')
        .send(`<!doctype html><title>${String(body.statusCode)}</title>`);
      return;
    }
    const again = html`<a class="button" href="">${texts.again}</a>`;
    sendPage(response, {
      name: PAGE,
      title: texts[`${kind}.title`] ?? '',
      locale,
      settings: DEFAULT_SETTINGS,
      personal: true,
      status: body.statusCode,
      // The error page may be shown in frames of every site, because the failed page may allow frames too.
      sources: { 'frame-ancestors': ['*'] },
      body: html`<div class="donate donate--single">
        <main class="donate__main">
          ${notice(
            CLOCK,
            texts[`${kind}.title`],
            fill(isForm ? texts['unsent.text'] : texts[`${kind}.text`], { seconds }),
            isForm ? html`` : again,
          )}
        </main>
      </div>`,
    });
  }
}
