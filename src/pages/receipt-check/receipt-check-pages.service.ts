import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { formatMoney } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import { startOfDay } from '../../common/text/start-of-day.js';
import type { CheckedPeriodDto, CheckedReceiptDto } from '../../receipts/dto/checked-receipt.dto.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { Settings } from '../../settings/settings.js';
import { brand } from '../donate/donate-view.js';
import { CROSS, HEART, QUESTION } from '../donate/icons.js';
import { type Html, html } from '../html.js';
import { sendPage } from '../page.js';
import { chooseLocale, localeOfFormats, type Texts, textsOf } from '../texts.js';

const PAGE = 'donate';

interface View {
  readonly settings: Settings;
  readonly locale: string;
  readonly texts: Texts;
}

/** The pages of the receipt check. They show nothing about the donor or the event. */
@Injectable()
export class ReceiptCheckPages {
  constructor(private readonly settings: SettingsService) {}

  async found(receipt: CheckedReceiptDto, request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    const { texts } = view;
    const state = receipt.reason ?? receipt.state;
    this.send(response, view, {
      status: 200,
      title: texts[`receiptCheck.${receipt.state}`],
      content: html`<section class="notice card">
        ${receipt.state === 'valid' ? HEART : CROSS}
        <h2 class="notice__title">${texts[`receiptCheck.${receipt.state}`]}</h2>
        <p class="notice__text">${texts[`receiptCheck.${state}.text`]}</p>
        <dl class="facts">${details(view, receipt)}</dl>
        <p class="notice__text">${texts['receiptCheck.compare']}</p>
      </section>`,
    });
  }

  async notFound(request: Request, response: Response): Promise<void> {
    const view = await this.view(request);
    const title = view.texts['receiptCheck.unknown'];
    this.send(response, view, {
      status: 404,
      title,
      content: html`<section class="notice card">
        ${QUESTION}
        <h2 class="notice__title">${title}</h2>
        <p class="notice__text">${view.texts['receiptCheck.unknown.text']}</p>
      </section>`,
    });
  }

  private async view(request: Request): Promise<View> {
    const settings = (await this.settings.lastKnown()).value.inForce;
    const locale = chooseLocale(settings.locales, request.query.lang, request.headers['accept-language']);
    return { settings, locale, texts: textsOf(PAGE, locale) };
  }

  private send(
    response: Response,
    { settings, locale }: View,
    shown: { readonly status: number; readonly title: string | undefined; readonly content: Html },
  ): void {
    sendPage(response, {
      name: PAGE,
      title: `${shown.title ?? ''} · ${settings.organization}`,
      locale,
      settings,
      personal: true,
      status: shown.status,
      body: html`<div class="donate donate--single">
        <header class="story">${brand(settings)}</header>
        <main class="donate__main">
          <h1 class="visually-hidden">${settings.organization}</h1>
          ${shown.content}
        </main>
      </div>`,
    });
  }
}

function details(view: View, receipt: CheckedReceiptDto): Html[] {
  const { texts } = view;
  const { currency, amount, refundedAmount } = receipt;
  const money = (minor: number) => formatMoney(BigInt(minor), currency, localeOfFormats(PAGE, view.locale));
  const isPartlyRefunded = receipt.state === 'valid' && refundedAmount > 0;
  return [
    ...(receipt.since === null ? [] : [['receiptCheck.since', dateOf(view, receipt.since, receipt)]]),
    ['receiptCheck.number', receipt.number],
    ['receiptCheck.organization', receipt.organization],
    ...(receipt.taxId === '' ? [] : [['receiptCheck.taxId', receipt.taxId]]),
    ['receiptCheck.issued', dateOf(view, receipt.issuedAt, receipt)],
    ...(receipt.givenAt === null ? [] : [['receiptCheck.given', dateOf(view, receipt.givenAt, receipt)]]),
    ...(receipt.period === null ? [] : [['receiptCheck.period', daysOf(view, receipt.period, receipt)]]),
    ['receiptCheck.amount', money(amount)],
    ...(isPartlyRefunded
      ? [
          ['receiptCheck.refundedAmount', money(refundedAmount)],
          ['receiptCheck.remaining', money(amount - refundedAmount)],
        ]
      : []),
  ].map(
    ([key, value]) =>
      html`<div>
        <dt>${texts[String(key)]}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}

const dateOf = ({ locale, settings }: View, time: string, receipt: CheckedReceiptDto): string =>
  dateInWords(new Date(time), localeOfFormats(PAGE, locale), settings.timezone, receipt);

const daysOf = (view: View, { from, to }: CheckedPeriodDto, receipt: CheckedReceiptDto): string =>
  [from, to]
    .map((day) => dateOf(view, startOfDay(day, view.settings.timezone).toISOString(), receipt))
    .join(' – ');
