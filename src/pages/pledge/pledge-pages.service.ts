import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPublicStatus } from '../../events/event-status.js';
import {
  OwnPledges,
  type OwnPledgesView,
  WITHDRAWAL_REASONS,
  type WithdrawalReason,
} from '../../pledges/emails/own-pledges.service.js';
import { isOpenPledge, PaymentLinks } from '../../pledges/payment-links.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { Settings } from '../../settings/settings.js';
import { HEART, QUESTION } from '../donate/icons.js';
import { brand, notice } from '../donate/donate-view.js';
import { type Html, html } from '../html.js';
import { sendPage } from '../page.js';
import { chooseLocale, fill, type Texts, textsOf } from '../texts.js';
import { unsubscribeForm, withdrawForm } from './pledge-forms.js';

const PAGE = 'donate';

interface Shown {
  readonly settings: Settings;
  readonly locale: string;
  readonly texts: Texts;
  readonly title: string | undefined;
  readonly content: Html;
  readonly status?: number;
}

/** The pages on which donors withdraw a pledge, or end the e-mails about pledges. They are in the language of the e-mails. */
@Injectable()
export class PledgePages {
  constructor(
    private readonly own: OwnPledges,
    private readonly links: PaymentLinks,
    private readonly settings: SettingsService,
  ) {}

  /** Sends the page that asks before it withdraws. Changes nothing. */
  async ask(token: string, request: Request, response: Response): Promise<void> {
    const view = await this.own.read(token);
    if (!view) {
      await this.unknown(request, response);
      return;
    }
    const open = view.pledges.filter(isOpenPledge);
    if (open.length === 0) {
      this.over(view, response);
      return;
    }
    const texts = textsOf(PAGE, view.locale);
    const [first] = open;
    const payUrl =
      first && isPublicStatus(view.event.status) ? this.links.linkTo(first, view.event.slug).url : undefined;
    const title = texts['withdraw.title'];
    this.send(response, {
      ...view,
      texts,
      title,
      content: withdrawForm({ ...view, texts, token, open, payUrl }),
    });
  }

  /** Withdraws the chosen pledges and sends the result. A second click shows that the pledge is withdrawn. */
  async withdraw(token: string, body: unknown, request: Request, response: Response): Promise<void> {
    const { pledge, reason } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const chosen = new Set([pledge].flat().filter((id) => typeof id === 'string'));
    await this.own.withdraw(token, chosen, reasonOf(reason));
    const view = await this.own.read(token);
    if (!view) await this.unknown(request, response);
    else if (chosen.size === 0 && view.pledges.some(isOpenPledge)) await this.ask(token, request, response);
    else this.over(view, response);
  }

  /** Sends the page that asks before it ends the e-mails. Changes nothing. */
  async askUnsubscribe(token: string, request: Request, response: Response): Promise<void> {
    const view = await this.own.read(token, { evenExpired: true });
    if (!view) {
      await this.unknown(request, response);
      return;
    }
    if (view.hasOptedOut) {
      this.unsubscribed(view, response);
      return;
    }
    const texts = textsOf(PAGE, view.locale);
    const title = texts['unsubscribe.title'];
    this.send(response, { ...view, texts, title, content: unsubscribeForm({ ...view, texts, token }) });
  }

  /** Ends the e-mails about pledges to the donor's address, and says so. */
  async unsubscribe(token: string, request: Request, response: Response): Promise<void> {
    await this.own.optOut(token);
    const view = await this.own.read(token, { evenExpired: true });
    if (view) this.unsubscribed(view, response);
    else await this.unknown(request, response);
  }

  private unsubscribed(view: OwnPledgesView, response: Response): void {
    const texts = textsOf(PAGE, view.locale);
    const title = texts['unsubscribe.doneTitle'];
    const text = fill(texts['unsubscribe.doneText'], { organization: view.settings.organization });
    this.send(response, { ...view, texts, title, content: notice(HEART, title, text, html``) });
  }

  /** The page of pledges that are not open: withdrawn, paid, or both. */
  private over(view: OwnPledgesView, response: Response): void {
    const texts = textsOf(PAGE, view.locale);
    const isPaid = view.pledges.every(
      ({ paid_by, completed_at }) => paid_by !== null || completed_at !== null,
    );
    const key = isPaid ? 'pledge.paid' : 'withdraw.done';
    const title = texts[`${key}.title`];
    const text = fill(texts[`${key}.text`], { event: view.event.name });
    const left = view.pledges.filter(isOpenPledge).length;
    const more = left > 0 ? html`<p class="notice__text">${texts['withdraw.left']}</p>` : undefined;
    this.send(response, { ...view, texts, title, content: notice(HEART, title, text, html``, more) });
  }

  private async unknown(request: Request, response: Response): Promise<void> {
    const settings = (await this.settings.lastKnown()).value.inForce;
    const locale = chooseLocale(settings.locales, request.query.lang, request.headers['accept-language']);
    const texts = textsOf(PAGE, locale);
    const title = texts['withdraw.unknown.title'];
    const content = notice(QUESTION, title, texts['withdraw.unknown.text'], html``);
    this.send(response, { settings, locale, texts, title, content, status: 404 });
  }

  private send(response: Response, { settings, locale, title, content, status = 200 }: Shown): void {
    // With `no-referrer`, a browser would send the origin `null` with the form, and the server would refuse the form.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(response, {
      name: PAGE,
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
}

const reasonOf = (sent: unknown): WithdrawalReason =>
  WITHDRAWAL_REASONS.find((reason) => reason === sent) ?? 'none';
