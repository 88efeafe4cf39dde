import type { Response } from 'express';
import type { Settings } from '../../settings/settings.js';
import { type Html, html } from '../html.js';
import { sendPage } from '../page.js';
import type { Texts } from '../texts.js';
import { brand } from './donate-view.js';

/** A page with one message, and no event. */
export interface Shown {
  readonly settings: Settings;
  readonly locale: string;
  readonly texts: Texts;
  readonly title: string | undefined;
  readonly content: Html;
  readonly status?: number;
}

/** Sends the page behind a link in an e-mail. */
export function sendNoticePage(
  response: Response,
  { settings, locale, title, content, status = 200 }: Shown,
): void {
  // With `no-referrer`, a browser would send the origin `null` with the form, and the server would refuse the form.
  response.setHeader('Referrer-Policy', 'same-origin');
  sendPage(response, {
    name: 'donate',
    title: `${title ?? ''} · ${settings.organization}`,
    locale,
    settings,
    personal: true,
    status,
    body: html`<div class="donate donate--single">
      <header class="story">${brand(settings)}</header>
      <main class="donate__main">
        <h1 class="visually-hidden">${settings.organization}</h1>
        ${content}
      </main>
    </div>`,
  });
}
