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
/** Default in seconds if the error has no value. */
const TRY_AGAIN = 30;
/** Random delay in seconds, so that the phones of a hall do not all return at once. */
const SPREAD = 10;
const TOO_MANY = 429;

/**
 * Error pages of the routes that people open in a browser. A temporary error (too many requests, a dependency that is
 * down) gets a page that reloads by itself. It uses no database, which may be down. Other errors, and clients that do
 * not accept HTML, get the usual error body.
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
    // A form must be sent again by the donor, not reloaded by the browser.
    const isForm = request.method === 'POST';
    const seconds = Math.ceil(retryAfter) + randomInt(SPREAD);
    if (!isForm) response.setHeader('Refresh', String(seconds));
    // An overlay is on top of a video. It shows nothing until the wall is back.
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
      // Allowed in frames on every site, like the page it replaces.
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
