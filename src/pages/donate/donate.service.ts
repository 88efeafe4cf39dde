import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../common/errors/domain-errors.js';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { staysUnnamed } from '../../donations/recording/new-donation.js';
import { readSource } from '../../donations/recording/source.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { isPublicStatus, takesPayments } from '../../events/event-status.js';
import { EventTotals } from '../../events/event-totals.service.js';
import { type PublicEvent, PublicEvents } from '../../events/public-events.service.js';
import { NewestDonations } from '../../gateway/newest-donations.service.js';
import { Mailer } from '../../mail/mailer.service.js';
import { PaymentLinks } from '../../pledges/payment-links.service.js';
import { OwnDonations } from '../../payments/intents/own-donations.service.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { SettingsService } from '../../settings/settings.service.js';
import { type Html, html } from '../html.js';
import { sendPage } from '../page.js';
import { chooseLocale, fill, textsOf } from '../texts.js';
import { donateForm, formModel } from './donate-form.js';
import {
  brand,
  type DonateView,
  type FormProblem,
  frame,
  type LinkedPledge,
  notice,
  pagePath,
  thanksPath,
  DONATE_PATH,
  type TypedFields,
} from './donate-view.js';
import { pictureSources } from './event-picture.js';
import { latestDonations } from './latest-donations.js';
import { totalOf } from './progress.js';
import { rootOf } from './embedded.js';
import { linkPreview } from './link-preview.js';
import { HEART, PAUSE, QUESTION } from './icons.js';
import { cardOf, redirectsOf } from './paying.js';
import { type EmailProblem, textOf, thanksModel, thanksPage } from './thanks-page.js';
import { serviceAddress } from '../../common/http/origins.js';

/** Seconds until the page of a paused event reloads, and the maximum number of random seconds that are added. */
const PAUSED_SECONDS = 15;
const PAUSED_SPREAD = 10;
/** At an event with more donors, the thank-you page does not count them. */
const MOST_COUNTED_DONORS = 2_000;
const LANGUAGE_COOKIE = 'lang';
const LANGUAGE_KEPT_MS = 24 * 60 * 60 * 1_000;

interface Sent {
  readonly typed?: TypedFields;
  readonly problem?: FormProblem;
}

/** The pages of `/donate`: the form, notices of events that accept no donations, and the state of a donation. */
@Injectable()
export class DonatePages {
  constructor(
    private readonly events: EventLookup,
    private readonly publicEvents: PublicEvents,
    private readonly totals: EventTotals,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly own: OwnDonations,
    private readonly links: PaymentLinks,
    private readonly ages: AnswerAges,
    private readonly mailer: Mailer,
    private readonly newest: NewestDonations,
  ) {}

  /** Sends the form of an event. If the event accepts no donations, sends a notice instead. */
  async form(ref: string, request: Request, response: Response, sent: Sent = {}): Promise<void> {
    const view = await this.view(ref, request, response);
    if (!view?.pledge && request.method !== 'POST' && (await this.movedLink(view, request, response))) return;
    if (!view) {
      await this.unknown(request, response, { isArchived: (await this.archived(ref)) !== undefined });
      return;
    }
    const { event, texts, settings, offered } = view;
    const title = `${fill(texts.title, { event: event.name })} · ${settings.organization}`;
    const body = { name: 'donate', title, locale: view.locale, settings, root: rootOf(settings, request) };
    const own = { 'frame-ancestors': settings.embed.origins, ...pictureSources(settings) };
    const instead = noticeInstead(view);
    if (instead) {
      // A paused event may accept donations again at any time, so the page reloads. The random part distributes the requests of
      // a venue.
      if (event.status === 'paused' && request.method !== 'POST')
        response.setHeader('Refresh', String(PAUSED_SECONDS + randomInt(PAUSED_SPREAD)));
      sendPage(response, {
        ...body,
        status: sent.problem?.status ?? 200,
        sources: own,
        body: frame(view, instead),
      });
      return;
    }
    const latest = settings.donation.showLatest ? await this.newest.shown(event.id, settings) : undefined;
    // With `no-referrer`, a browser would send the origin `null` with the form, and the server would refuse the form.
    response.setHeader('Referrer-Policy', 'same-origin');
    // Forms of providers may open their own windows.
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
    sendPage(response, {
      ...body,
      ...(view.pledge ? { personal: true } : { head: linkPreview(view) }),
      description: event.description || texts.lead,
      status: sent.problem?.status ?? 200,
      sources: merged([own, ...offered.map(({ sources }) => sources)]),
      data: formModel(view),
      body: frame(
        view,
        html`${donateForm(view, sent.typed, sent.problem ?? this.returned(view, request))}
        ${latest && latestDonations(view, latest)}`,
        { invites: true },
      ),
    });
  }

  /** Sends the page with the state of the donation that belongs to the token. */
  async thanks(
    ref: string,
    token: unknown,
    request: Request,
    response: Response,
    problem?: EmailProblem,
  ): Promise<void> {
    // This read comes first, because it may book the donation, and the totals on the page must include this donation.
    const own =
      typeof token === 'string'
        ? await this.own.read(token, { fresh: true }).catch(unknownIsUndefined)
        : undefined;
    const view = await this.view(ref, request, response);
    // The slug of the event changed while the donor was on the provider's page.
    if (typeof token === 'string' && own && own.eventSlug !== view?.event.slug && own.eventSlug !== ref) {
      const { pledge } = request.query;
      const link = typeof pledge === 'string' ? { token: encodeURIComponent(pledge) } : undefined;
      moved(response, thanksPath({ slug: own.eventSlug }, encodeURIComponent(token), link));
      return;
    }
    if (!view || typeof token !== 'string' || own?.eventSlug !== view.event.slug) {
      await this.unknown(request, response, { view });
      return;
    }
    const { texts, settings, locale } = view;
    const thanks = await this.own.thanks(token, {
      countsDonors: view.total.donorCount <= MOST_COUNTED_DONORS,
    });
    const mailsReceipt = this.mailer.isOn && settings.receipts.email;
    // As on the page with the form: the e-mail form needs the origin, too.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(response, {
      name: 'donate',
      root: rootOf(settings, request),
      ...(problem && { status: 400 }),
      title: `${texts[`${textOf(own)}.title`] ?? ''} · ${settings.organization}`,
      locale,
      settings,
      personal: true,
      sources: { 'frame-ancestors': settings.embed.origins, ...pictureSources(settings) },
      data: thanksModel(view, token, own),
      body: frame(view, thanksPage(view, { token, own, thanks, mailsReceipt, problem })),
    });
  }

  /** Returns all data for the pages of an event; undefined if the event is hidden from the public. */
  async view(ref: string, request: Request, response: Response): Promise<DonateView | undefined> {
    const reading = await this.publicEvents.find(ref);
    if (reading) this.ages.describe(response, reading);
    const found = reading?.value ?? (isThanks(request) ? await this.archived(ref) : undefined);
    if (!found) return undefined;
    const { event, settings, totals } = found;
    const locale = localeOf(request, response, settings.locales);
    const pledge = await this.pledgeOf(event, request);
    return {
      event,
      settings,
      locale,
      texts: textsOf('donate', locale),
      total: totalOf(event, totals),
      offered: this.providers.offeredFor(event.currency, pledge?.amount),
      step: this.providers.stepOf(event.currency, pledge?.amount),
      address: serviceAddress(request),
      pledge,
      source: readSource((request.body as { from?: unknown } | undefined)?.from ?? request.query.from),
    };
  }

  /** Returns an archived event, because its donors can still see their donations. */
  private async archived(ref: string): Promise<PublicEvent | undefined> {
    const event = await this.events.find(ref);
    if (event?.status !== 'archived') return undefined;
    return {
      event,
      settings: await this.settings.effective(event.overrides),
      totals: await this.totals.of(event.id),
    };
  }

  private async pledgeOf({ id, currency }: EventRecord, request: Request): Promise<LinkedPledge | undefined> {
    const token = (request.body as { pledge?: unknown } | undefined)?.pledge ?? request.query.pledge;
    const pledge = await this.links.read(token, id);
    if (typeof token !== 'string' || pledge?.currency !== currency) return undefined;
    const isPaid = pledge.paid_by !== null || pledge.completed_at !== null;
    const state = isPaid ? 'paid' : pledge.status === 'PENDING' ? 'open' : 'over';
    const { amount, donor_name: donorName } = pledge;
    return { token, amount, donorName, isUnnamed: staysUnnamed(pledge), state };
  }

  /** A link is valid for weeks. In this time, the slug in the link may change or become the slug of another event. */
  private async movedLink(
    view: DonateView | undefined,
    { query }: Request,
    response: Response,
  ): Promise<boolean> {
    const { pledge, lang } = query;
    const event = await this.links.eventOf(pledge);
    if (!event || typeof pledge !== 'string' || event.id === view?.event.id || !isPublicStatus(event.status))
      return false;
    const language = typeof lang === 'string' ? `&lang=${encodeURIComponent(lang)}` : '';
    moved(response, `${pagePath(event)}?pledge=${encodeURIComponent(pledge)}${language}`);
    return true;
  }

  private returned({ texts }: DonateView, { query }: Request): FormProblem | undefined {
    return query.cancelled === undefined ? undefined : { text: texts.cancelled ?? '', status: 200 };
  }

  private async unknown(
    request: Request,
    response: Response,
    { view, isArchived = false }: { view?: DonateView | undefined; isArchived?: boolean } = {},
  ): Promise<void> {
    const settings = view?.settings ?? (await this.settings.lastKnown()).value.inForce;
    const locale = localeOf(request, response, settings.locales);
    const texts = textsOf('donate', locale);
    const kind = isThanks(request) ? 'noDonation' : isArchived ? 'archived' : 'unknown';
    sendPage(response, {
      name: 'donate',
      title: `${texts[`${kind}.title`] ?? ''} · ${settings.organization}`,
      locale,
      settings,
      personal: true,
      status: 404,
      body: html`<div class="donate donate--single">
        <header class="story">${brand(settings)}</header>
        <main class="donate__main">
          <h1 class="visually-hidden">${settings.organization}</h1>
          ${notice(
            QUESTION,
            texts[`${kind}.title`],
            texts[`${kind}.text`],
            html`<a class="button" href="${view ? pagePath(view.event) : '/'}"
              >${view ? texts.backToEvent : texts.home}</a
            >`,
          )}
        </main>
      </div>`,
    });
  }
}

/** Returns the notice that replaces the form if the event accepts no donations on this page. */
function noticeInstead({ event, texts, offered, pledge }: DonateView): Html | undefined {
  const home = html`<a class="button" href="/">${texts.home}</a>`;
  const wall = html`<a class="button button--quiet" href="/wall/${event.slug}">${texts.wall}</a>`;
  if (pledge && pledge.state !== 'open') {
    const key = `pledge.${pledge.state}`;
    const give = html`<a class="button" href="${pagePath(event)}">${texts['pledge.give']}</a>`;
    return notice(
      pledge.state === 'paid' ? HEART : QUESTION,
      texts[`${key}.title`],
      texts[`${key}.text`],
      give,
    );
  }
  if (event.status === 'paused')
    return notice(PAUSE, texts['paused.title'], texts['paused.text'], html`${home} ${wall}`);
  if (!takesPayments(event.status, { ofPledge: pledge !== undefined }))
    return notice(HEART, texts['closed.title'], texts['closed.text'], html`${home} ${wall}`);
  if (!cardOf(offered) && redirectsOf(offered).length === 0)
    return notice(PAUSE, texts['off.title'], texts['off.text'], home);
  return undefined;
}

function moved(response: Response, address: string): void {
  response.setHeader('Cache-Control', 'no-store').redirect(303, address);
}

const isThanks = ({ path }: Request): boolean => path.endsWith('/thanks') && path !== `${DONATE_PATH}/thanks`;

/**
 * Stores the requested language in a cookie, so that the language is still known when the donor returns from the provider's
 * page.
 */
function localeOf(request: Request, response: Response, locales: DonateView['settings']['locales']): string {
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

function merged(all: readonly Readonly<Record<string, readonly string[]>>[]): Record<string, string[]> {
  const sources: Record<string, string[]> = {};
  for (const [directive, values] of all.flatMap((one) => Object.entries(one)))
    sources[directive] = [...new Set([...(sources[directive] ?? []), ...values])];
  return sources;
}

function unknownIsUndefined(error: unknown): undefined {
  if (error instanceof DomainError && error.getStatus() === 404) return undefined;
  throw error;
}
