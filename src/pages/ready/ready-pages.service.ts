import type { EventRecord } from '../../events/event-record.js';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../common/errors/domain-errors.js';
import type { OfferedCheckout } from '../../payments/providers/payment-providers.js';
import {
  assertCanSave,
  cardsOff,
  GuestCards,
  type GuestCardView,
} from '../../pledges/cards/guest-cards.service.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { localeOf } from '../donate/donate-language.js';
import { brand, notice } from '../donate/donate-view.js';
import { HEART, QUESTION } from '../donate/icons.js';
import { type Html, html } from '../html.js';
import { sendPage } from '../page.js';
import { textsOf } from '../texts.js';
import { detailsOf } from './ready-details.js';
import { readyForm, type ReadyModel, savedCard, stopForm } from './ready-forms.js';

const PAGE = 'donate';

interface Shown {
  readonly event?: Pick<EventRecord, 'id'>;
  readonly settings: Settings;
  readonly locale: string;
  readonly title: string | undefined;
  readonly content: Html;
  readonly status?: number;
  readonly checkout?: OfferedCheckout | undefined;
  readonly data?: ReadyModel;
}

/** The page on which a guest saves a card for pledges, sees it, stops its charges and deletes it. */
@Injectable()
export class ReadyPages {
  constructor(
    private readonly cards: GuestCards,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Sends the form, or the saved card. With `setup_intent`, the guest comes back from the bank.
   * @throws UnavailableError `PAYMENT_METHOD_OFF` if no provider can save cards
   */
  async show(query: Readonly<Record<string, unknown>>, request: Request, response: Response): Promise<void> {
    const { guest: token, setup_intent: returned } = query;
    if (returned !== undefined) await this.cards.finish(token).catch(ignoreRefusal);
    const view = await this.cards.read(token);
    if (!view || typeof token !== 'string') {
      await this.unknown(request, response);
      return;
    }
    const { locale, texts } = wordsOf(view, request, response);
    if (view.card && query.change === undefined) {
      const content = savedCard({ ...detailsOf(view, locale, texts), token });
      this.send(response, { ...view, locale, title: texts['ready.saved.title'], content });
      return;
    }
    const refusal = refusalOf(view);
    if (refusal !== undefined) {
      const title = texts[`ready.${refusal}.title`];
      const content = notice(QUESTION, title, texts[`ready.${refusal}.text`], html``);
      this.send(response, { ...view, locale, title, content, status: 409 });
      return;
    }
    const { checkout } = this.cards.taker() ?? cardsOff();
    const consent = this.cards.consentTo(view, locale);
    this.send(response, {
      ...view,
      locale,
      title: texts['ready.title'],
      content: readyForm({
        ...detailsOf(view, locale, texts),
        token,
        consent,
        failed: returned !== undefined,
      }),
      checkout,
      data: {
        page: 'ready',
        guest: token,
        locale,
        currency: view.event.currency,
        textDigest: consent.digest.toString('hex'),
        publishableKey: checkout.publishableKey ?? '',
        ...(checkout.scriptUrl !== undefined && { scriptUrl: checkout.scriptUrl }),
        texts: {
          failed: texts['ready.failed'] ?? '',
          invalid: texts['ready.emailInvalid'] ?? '',
          changed: texts['ready.textChanged'] ?? '',
          unavailable: texts['error.unavailable'] ?? '',
          busy: texts['ready.busy'] ?? '',
          save: texts['ready.save'] ?? '',
        },
      },
    });
  }

  async remove(body: unknown, request: Request, response: Response): Promise<void> {
    const token = tokenIn(body, request);
    await this.cards.remove(token).catch(ignoreRefusal);
    await this.done('removed', token, request, response);
  }

  /** Sends the page that asks before it stops the charges. Changes nothing. */
  async askStop(
    query: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const view = await this.cards.read(query.guest);
    if (!view || typeof query.guest !== 'string') {
      await this.unknown(request, response);
      return;
    }
    const { locale, texts } = wordsOf(view, request, response);
    const content =
      view.coming.length === 0
        ? notice(HEART, texts['ready.stopped.title'], texts['ready.stopped.text'], html``)
        : stopForm({ ...detailsOf(view, locale, texts), token: query.guest });
    this.send(response, { ...view, locale, title: texts['ready.stop.title'], content });
  }

  async stop(body: unknown, request: Request, response: Response): Promise<void> {
    const token = tokenIn(body, request);
    await this.cards.stopCharges(token).catch(ignoreRefusal);
    await this.done('stopped', token, request, response);
  }

  private async done(
    kind: 'removed' | 'stopped',
    token: unknown,
    request: Request,
    response: Response,
  ): Promise<void> {
    const view = await this.cards.read(token);
    if (!view) {
      await this.unknown(request, response);
      return;
    }
    const { locale, texts } = wordsOf(view, request, response);
    const title = texts[`ready.${kind}.title`];
    const content = notice(HEART, title, texts[`ready.${kind}.text`], html``);
    this.send(response, { ...view, locale, title, content });
  }

  private async unknown(request: Request, response: Response): Promise<void> {
    const settings = (await this.settings.lastKnown()).value.inForce;
    const locale = localeOf(request, response, settings.locales);
    const texts = textsOf(PAGE, locale);
    const title = texts['ready.unknown.title'];
    const content = notice(QUESTION, title, texts['ready.unknown.text'], html``);
    this.send(response, { settings, locale, title, content, status: 404 });
  }

  private send(response: Response, shown: Shown): void {
    const { settings, locale, title, content, status = 200, checkout, data, event } = shown;
    // With `no-referrer`, a browser would send the origin `null` with the form, and the server would refuse the form.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(response, {
      name: PAGE,
      ...(event && { eventId: event.id }),
      title: `${title ?? ''} · ${settings.organization}`,
      locale,
      settings,
      personal: true,
      status,
      ...(checkout && { sources: checkout.sources }),
      ...(data && { data }),
      body: html`<div class="donate donate--single">
        <header class="story">${brand(settings)}</header>
        <main class="donate__main">
          <h1 class="visually-hidden">${title}</h1>
          ${content}
        </main>
      </div>`,
    });
  }
}

const wordsOf = ({ settings }: GuestCardView, request: Request, response: Response) => {
  const locale = localeOf(request, response, settings.locales);
  return { locale, texts: textsOf(PAGE, locale) };
};

function refusalOf(view: GuestCardView): 'noPaddle' | 'over' | undefined {
  try {
    assertCanSave(view);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code === 'CARD_NEEDS_PADDLE' ? 'noPaddle' : 'over';
  }
}

const tokenIn = (body: unknown, { query }: Request): unknown =>
  (body as { guest?: unknown } | undefined)?.guest ?? query.guest;

function ignoreRefusal(error: unknown): void {
  // The page then shows the state, or that the link is not valid.
  if (!(error instanceof DomainError)) throw error;
}
