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
/** Seconds, where the error does not say. */
const TRY_AGAIN = 30;
/** Seconds over which the phones of a hall come back, which were all asked to wait for the same moment. */
const SPREAD = 10;
const TOO_MANY = 429;

/**
 * Errors of the routes that people open in a browser. What passes by itself (too many at once, a dependency that is away)
 * is a page that opens again by itself; it asks no database, which may be what is away. Everything else, and whatever
 * does not ask for a page, has the body that all errors have.
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
    // A form is sent again by who filled it in, not by its browser.
    const isForm = request.method === 'POST';
    const seconds = Math.ceil(retryAfter) + randomInt(SPREAD);
    if (!isForm) response.setHeader('Refresh', String(seconds));
    // It lies on a picture that others see: the wall comes back, and nothing is to be read until then.
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
      // It stands where the page would: also on the charity's own site.
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
