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
import { HEART, QUESTION } from '../donate/icons.js';
import { LogoTones } from '../logo-tones.js';
import { notice } from '../donate/donate-view.js';
import { html } from '../html.js';
import { sendNoticePage, type Shown } from '../donate/notice-page.js';
import { chooseLocale, fill, textsOf } from '../texts.js';
import { unsubscribeForm, withdrawForm } from './pledge-forms.js';

const PAGE = 'donate';

/** The pages on which donors withdraw a pledge, or end the e-mails about pledges. They are in the language of the e-mails. */
@Injectable()
export class PledgePages {
  constructor(
    private readonly own: OwnPledges,
    private readonly links: PaymentLinks,
    private readonly settings: SettingsService,
    private readonly logos: LogoTones,
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
      await this.over(view, response);
      return;
    }
    const texts = textsOf(PAGE, view.locale);
    const [first] = open;
    const payUrl =
      first && isPublicStatus(view.event.status) ? this.links.linkTo(first, view.event.slug).url : undefined;
    const title = texts['withdraw.title'];
    await this.send(response, {
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
    else await this.over(view, response);
  }

  /** Sends the page that asks before it ends the e-mails. Changes nothing. */
  async askUnsubscribe(token: string, request: Request, response: Response): Promise<void> {
    const view = await this.own.read(token, { evenExpired: true });
    if (!view) {
      await this.unknown(request, response);
      return;
    }
    if (view.hasOptedOut) {
      await this.unsubscribed(view, response);
      return;
    }
    const texts = textsOf(PAGE, view.locale);
    const title = texts['unsubscribe.title'];
    await this.send(response, { ...view, texts, title, content: unsubscribeForm({ ...view, texts, token }) });
  }

  /** Ends the e-mails about pledges to the donor's address, and says so. */
  async unsubscribe(token: string, request: Request, response: Response): Promise<void> {
    await this.own.optOut(token);
    const view = await this.own.read(token, { evenExpired: true });
    if (view) await this.unsubscribed(view, response);
    else await this.unknown(request, response);
  }

  private async unsubscribed(view: OwnPledgesView, response: Response): Promise<void> {
    const texts = textsOf(PAGE, view.locale);
    const title = texts['unsubscribe.doneTitle'];
    const text = fill(texts['unsubscribe.doneText'], { organization: view.settings.organization });
    await this.send(response, { ...view, texts, title, content: notice(HEART, title, text, html``) });
  }

  /** The page of pledges that are not open: withdrawn, paid, or both. */
  private async over(view: OwnPledgesView, response: Response): Promise<void> {
    const texts = textsOf(PAGE, view.locale);
    const isPaid = view.pledges.every(
      ({ paid_by, completed_at }) => paid_by !== null || completed_at !== null,
    );
    const key = isPaid ? 'pledge.paid' : 'withdraw.done';
    const title = texts[`${key}.title`];
    const text = fill(texts[`${key}.text`], { event: view.event.name });
    const left = view.pledges.filter(isOpenPledge).length;
    const more = left > 0 ? html`<p class="notice__text">${texts['withdraw.left']}</p>` : undefined;
    await this.send(response, { ...view, texts, title, content: notice(HEART, title, text, html``, more) });
  }

  private async unknown(request: Request, response: Response): Promise<void> {
    const settings = (await this.settings.lastKnown()).value.inForce;
    const locale = chooseLocale(settings.locales, request.query.lang, request.headers['accept-language']);
    const texts = textsOf(PAGE, locale);
    const title = texts['withdraw.unknown.title'];
    const content = notice(QUESTION, title, texts['withdraw.unknown.text'], html``);
    await this.send(response, { settings, locale, texts, title, content, status: 404 });
  }

  private async send(response: Response, shown: Shown): Promise<void> {
    await this.logos.read(shown.settings);
    sendNoticePage(response, shown);
  }
}

const reasonOf = (sent: unknown): WithdrawalReason =>
  WITHDRAWAL_REASONS.find((reason) => reason === sent) ?? 'none';
