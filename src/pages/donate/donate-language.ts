import type { Request, Response } from 'express';
import type { Settings } from '../../settings/settings.js';
import { chooseLocale } from '../texts.js';
import { DONATE_PATH } from './donate-view.js';

const LANGUAGE_COOKIE = 'lang';
const LANGUAGE_KEPT_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns the language of the page. Stores a requested language in a cookie, so that the language is still known when the donor returns from the provider's
 * page.
 */
export function localeOf(request: Request, response: Response, locales: Settings['locales']): string {
  const { lang } = request.query;
  const cookies = request.cookies as Readonly<Record<string, unknown>> | undefined;
  const locale = chooseLocale(
    locales,
    lang ?? cookies?.[LANGUAGE_COOKIE],
    request.headers['accept-language'],
  );
  if (typeof lang === 'string')
    response.cookie(LANGUAGE_COOKIE, locale, {
      path: DONATE_PATH,
      maxAge: LANGUAGE_KEPT_MS,
      sameSite: 'lax',
      httpOnly: true,
    });
  return locale;
}
