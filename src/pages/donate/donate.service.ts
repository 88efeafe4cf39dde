import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../common/errors/domain-errors.js';
import { isPublicStatus } from '../../events/event-status.js';
import { NewestDonations } from '../../gateway/newest-donations.service.js';
import { Mailer } from '../../mail/mailer.service.js';
import { PaymentLinks } from '../../pledges/payment-links.service.js';
import { OwnDonations } from '../../payments/intents/own-donations.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { codeRows, codeSvg } from '../../transfers/transfer-code.js';
import { html } from '../html.js';
import { LogoTones } from '../logo-tones.js';
import { sendPage } from '../page.js';
import { fill, textsOf } from '../texts.js';
import { donateForm, formModel } from './donate-form.js';
import { localeOf } from './donate-language.js';
import { noticeInstead, unknownPage } from './donate-notices.js';
import {
  type DonateView,
  type FormProblem,
  frame,
  pagePath,
  thanksPath,
  type TypedFields,
} from './donate-view.js';
import { DonateViews, isThanks } from './donate-views.service.js';
import { pictureSources } from './event-picture.js';
import { latestDonations } from './latest-donations.js';
import { ReceiptProofs } from '../../receipts/receipt-proofs.service.js';
import { rootOf } from './embedded.js';
import { linkPreview } from './link-preview.js';
import { type EmailProblem, textOf, thanksModel, thanksPage } from './thanks-page.js';

/** Seconds until the page of a paused event reloads, and the maximum number of random seconds that are added. */
const PAUSED_SECONDS = 15;
const PAUSED_SPREAD = 10;
/**
 * Maximum number of donors that the thank-you page counts. At a larger event, the page does not show the
 * donor's number.
 */
const MOST_COUNTED_DONORS = 2_000;
interface Sent {
  readonly typed?: TypedFields;
  readonly problem?: FormProblem;
}

/** The pages of `/donate`: the form, notices of events that accept no donations, and the state of a donation. */
@Injectable()
export class DonatePages {
  constructor(
    private readonly views: DonateViews,
    private readonly settings: SettingsService,
    private readonly own: OwnDonations,
    private readonly links: PaymentLinks,
    private readonly mailer: Mailer,
    private readonly newest: NewestDonations,
    private readonly logos: LogoTones,
    private readonly proofs: ReceiptProofs,
  ) {}

  /** Sends the form of an event. If the event accepts no donations, sends a notice instead. */
  async form(ref: string, request: Request, response: Response, sent: Sent = {}): Promise<void> {
    const view = await this.views.read(ref, request, response);
    if (!view?.pledge && request.method !== 'POST' && (await this.movedLink(view, request, response))) return;
    if (!view) {
      await this.unknown(request, response, { isArchived: (await this.views.archived(ref)) !== undefined });
      return;
    }
    const { event, texts, settings, offered } = view;
    const title = `${fill(texts.title, { event: event.name })} · ${settings.organization}`;
    const body = {
      name: 'donate',
      title,
      eventId: event.id,
      locale: view.locale,
      settings,
      root: rootOf(settings, request),
    };
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
    const view = await this.views.read(ref, request, response);
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
    const offersProof = own.receipt && (await this.proofs.isOfferedToDonor(token));
    const mailsReceipt = this.mailer.isOn && settings.receipts.email;
    const code = own.transfer?.code && codeSvg(await codeRows(own.transfer.code), own.transfer.format);
    // The e-mail form of this page needs the origin too, like the donation form.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(response, {
      name: 'donate',
      root: rootOf(settings, request),
      ...(problem && { status: 400 }),
      title: `${texts[`${textOf(own)}.title`] ?? ''} · ${settings.organization}`,
      eventId: view.event.id,
      locale,
      settings,
      personal: true,
      sources: { 'frame-ancestors': settings.embed.origins, ...pictureSources(settings) },
      data: thanksModel(view, token, own),
      body: frame(
        view,
        thanksPage(view, {
          token,
          own,
          thanks,
          offersProof,
          mailsReceipt,
          mailIsOn: this.mailer.isOn,
          code,
          problem,
        }),
      ),
    });
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
    await this.logos.read(settings);
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
      body: unknownPage({ kind, settings, texts, event: view?.event }),
    });
  }
}

function moved(response: Response, address: string): void {
  response.setHeader('Cache-Control', 'no-store').redirect(303, address);
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
