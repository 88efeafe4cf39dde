import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SettingsService } from '../../settings/settings.service.js';
import { NotifiedPersons } from '../../tributes/notified-persons.service.js';
import { notice } from '../donate/donate-view.js';
import { HEART, QUESTION } from '../donate/icons.js';
import { sendNoticePage } from '../donate/notice-page.js';
import { html } from '../html.js';
import { LogoTones } from '../logo-tones.js';
import { chooseLocale, fill, textsOf } from '../texts.js';

/** The page on which a notified person ends the e-mails about tributes. */
@Injectable()
export class TributePages {
  constructor(
    private readonly notified: NotifiedPersons,
    private readonly settings: SettingsService,
    private readonly logos: LogoTones,
  ) {}

  /** Sends the page that asks before it ends the e-mails, or the page that says that they are ended. Changes nothing. */
  async ask(token: string, request: Request, response: Response): Promise<void> {
    const hasOptedOut = await this.notified.hasOptedOut(token);
    const settings = (await this.settings.lastKnown()).value.inForce;
    await this.logos.read(settings);
    const locale = chooseLocale(settings.locales, request.query.lang, request.headers['accept-language']);
    const texts = textsOf('donate', locale);
    const page = { settings, locale, texts };
    const said = (text: string | undefined) => fill(text, { organization: settings.organization });
    if (hasOptedOut === undefined) {
      const title = texts['stop.unknownTitle'];
      const content = notice(QUESTION, title, said(texts['stop.unknownText']), html``);
      sendNoticePage(response, { ...page, title, content, status: 404 });
      return;
    }
    const title = texts[hasOptedOut ? 'stop.doneTitle' : 'stop.title'];
    const form = html`<form method="post">
      <p class="notice__links"><button class="button">${texts['stop.button']}</button></p>
    </form>`;
    const text = said(texts[hasOptedOut ? 'stop.doneText' : 'stop.text']);
    const content = notice(HEART, title, text, html``, hasOptedOut ? undefined : form);
    sendNoticePage(response, { ...page, title, content });
  }

  async stop(token: string, request: Request, response: Response): Promise<void> {
    await this.notified.optOut(token);
    await this.ask(token, request, response);
  }
}
