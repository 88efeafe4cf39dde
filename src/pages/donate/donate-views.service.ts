import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { serviceAddress } from '../../common/http/origins.js';
import { staysUnnamed } from '../../donations/recording/new-donation.js';
import { readSource } from '../../donations/recording/source.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { EventTotals } from '../../events/event-totals.service.js';
import { type PublicEvent, PublicEvents } from '../../events/public-events.service.js';
import { PublicMatch } from '../../match/public-match.service.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { nearlyReached } from '../../milestones/thermometer.js';
import { ShownMilestones } from '../../milestones/shown-milestones.service.js';
import { PaymentLinks } from '../../pledges/payment-links.service.js';
import { offersTransfer } from '../../transfers/transfer-account.js';
import { SettingsService } from '../../settings/settings.service.js';
import { LogoTones } from '../logo-tones.js';
import { localeOfFormats, textsOf } from '../texts.js';
import { localeOf } from './donate-language.js';
import { Boards } from '../../teams/boards.service.js';
import type { BoardRow } from '../../teams/dto/board.dto.js';
import { ShownTeams } from '../../teams/shown-teams.service.js';
import { isSlug } from '../../events/event-slug.js';
import { DONATE_PATH, type DonateView, type LinkedPledge, type NearMilestone } from './donate-view.js';
import { totalOf } from './progress.js';

/** Reads the data of the donate pages: the event, the settings, the total, the pledge of a payment link and the language. */
@Injectable()
export class DonateViews {
  constructor(
    private readonly events: EventLookup,
    private readonly publicEvents: PublicEvents,
    private readonly totals: EventTotals,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly links: PaymentLinks,
    private readonly ages: AnswerAges,
    private readonly logos: LogoTones,
    private readonly milestones: ShownMilestones,
    private readonly publicMatch: PublicMatch,
    private readonly teams: ShownTeams,
    private readonly boards: Boards,
  ) {}

  /** Returns all data for the pages of an event; undefined if the event is hidden from the public. */
  async read(ref: string, request: Request, response: Response): Promise<DonateView | undefined> {
    const reading = await this.publicEvents.find(ref);
    if (reading) this.ages.describe(response, reading);
    const found = reading?.value ?? (isThanks(request) ? await this.archived(ref) : undefined);
    if (!found) return undefined;
    const { event, settings, totals } = found;
    await this.logos.read(settings);
    const chosen = localeOf(request, response, settings.locales);
    // Together, because each read may wait for a database that does not answer.
    const [pledge, milestone, team, match] = await Promise.all([
      this.pledgeOf(event, request),
      this.nearMilestone(event, totalOf(event, totals).totalRaised),
      this.teamOf(event, request),
      this.publicMatch.poolsOf(event.id),
    ]);
    return {
      event,
      settings,
      locale: localeOfFormats('donate', chosen),
      chosen,
      texts: textsOf('donate', chosen),
      total: totalOf(event, totals),
      milestone,
      offered: this.providers.offeredFor(event.currency, pledge?.amount),
      offersTransfer: offersTransfer(settings, event.currency, pledge?.amount),
      step: this.providers.stepOf(event.currency, pledge?.amount),
      address: serviceAddress(request),
      pledge,
      match,
      team,
      source: readSource((request.body as { from?: unknown } | undefined)?.from ?? request.query.from),
    };
  }

  /** Returns an archived event, because its donors can still see their donations. */
  async archived(ref: string): Promise<PublicEvent | undefined> {
    const event = await this.events.find(ref);
    if (event?.status !== 'archived') return undefined;
    return {
      event,
      settings: await this.settings.effective(event.overrides),
      totals: await this.totals.of(event.id),
    };
  }

  /** The next milestone if it is nearly reached. During a database outage, the page is shown without it. */
  private async nearMilestone(
    { id, status }: EventRecord,
    total: bigint,
  ): Promise<NearMilestone | undefined> {
    if (status !== 'active') return undefined;
    const shown = await this.milestones.of(id).catch(() => []);
    const near = nearlyReached(
      Number(total),
      shown.filter(({ basis }) => basis === 'raised'),
    );
    return near && { title: near.mark.title, missing: near.missing };
  }

  /**
   * The team in the address or in the sent form. If the database does not answer, the page shows the address of the team as its
   * name, so that the donation keeps the team.
   */
  private async teamOf({ id }: EventRecord, request: Request): Promise<DonateView['team']> {
    const slug =
      (request.body as { team?: unknown } | undefined)?.team ?? request.params['team'] ?? request.query.team;
    if (slug === undefined || slug === '') return undefined;
    if (typeof slug !== 'string' || !isSlug(slug)) return 'unknown';
    try {
      const team = await this.teams.find(id, slug);
      return team ? { ...team, row: await this.rowOf(id, team.slug) } : 'unknown';
    } catch {
      return { slug, name: slug, text: null, image: null, row: undefined };
    }
  }

  /** The public figures of the team, which hide what a single donor gave. */
  private async rowOf(eventId: string, slug: string): Promise<BoardRow | undefined> {
    const { value } = await this.boards.board(eventId);
    return value.data.find((row) => row.slug === slug && row.kind === 'person');
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
}

/** True for the page with the state of a donation. */
export const isThanks = ({ path }: Request): boolean =>
  path.endsWith('/thanks') && path !== `${DONATE_PATH}/thanks`;
