import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { AppConfig } from '../../config/app-config.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import { PublicEvents } from '../../events/public-events.service.js';
import { donationPage } from '../../settings/donation-page.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { LogoTones } from '../logo-tones.js';
import { sendPage } from '../page.js';
import { chooseLocale } from '../texts.js';
import { overlayOf, type OverlayQuery } from './overlay.js';
import { absentPage, wallPage } from './wall-page.js';

/** Width of the white border around the QR code, in modules. Scanners of phones need this border. */
const QUIET_ZONE = 4;
const CODES_KEPT = 200;
/** Seconds until the page of a missing wall reloads, because staff may publish a draft during the evening. */
const LOOK_AGAIN = '30';

/** Query of a wall's address. */
export interface WallQuery extends OverlayQuery {
  readonly lang?: unknown;
}

/** Sends the wall page. */
@Injectable()
export class WallService {
  /** QR codes are cached, because drawing a code takes longer than creating the rest of the page. */
  private readonly codes = new LRUCache<string, string>({
    max: CODES_KEPT,
    fetchMethod: async (address) => {
      const { default: codes } = await import('qrcode');
      return await codes.toString(address, { type: 'svg', margin: QUIET_ZONE, errorCorrectionLevel: 'M' });
    },
  });

  constructor(
    private readonly config: AppConfig,
    private readonly publicEvents: PublicEvents,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
    private readonly logos: LogoTones,
  ) {}

  /**
   * Sends the wall of a public event. For any other event, a browser gets a page with an explanation.
   * @throws NotFoundError `EVENT_NOT_FOUND` for clients that do not accept HTML
   */
  async send(response: Response, ref: string, query: WallQuery, wantsPage: boolean): Promise<void> {
    const found = await this.publicEvents.find(ref);
    if (!found) {
      if (!wantsPage) throw eventNotFound();
      const event = await this.events.find(ref);
      const settings = (await this.settings.lastKnown()).value.inForce;
      response.setHeader('Refresh', LOOK_AGAIN);
      sendPage(response, absentPage(settings, localeOf(settings, query), event?.status === 'archived'));
      return;
    }
    this.ages.describe(response, found);
    const { event, settings } = found.value;
    await this.logos.read(settings);
    const donationUrl = donationPage(settings, this.config.publicUrl, event.slug);
    const qr = (await this.codes.fetch(donationUrl)) ?? '';
    const view = { locale: localeOf(settings, query), overlay: overlayOf(query) };
    sendPage(response, wallPage({ event, settings, donationUrl, qr, view }));
  }
}

const localeOf = ({ locales }: Settings, { lang }: WallQuery): string =>
  chooseLocale(locales, lang, undefined);
