import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { toString as toQrCode } from 'qrcode';
import { AppConfig } from '../../config/app-config.js';
import { EventLookup, eventNotFound } from '../../events/event-lookup.service.js';
import { isPublicStatus } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { sendPage } from '../page.js';
import { chooseLocale } from '../texts.js';
import { absentPage, wallPage } from './wall-page.js';

/** Name of the branding asset with the address of the charity's donation page. */
const DONATION_PAGE = 'donationPage';
/** Modules around the code that must stay white; scanners of phones rely on it. */
const QUIET_ZONE = 4;
/** Seconds after which an absent wall looks again: a draft opens during the evening. */
const LOOK_AGAIN = '30';

/** What the address of a wall asks for, beside the event. */
export interface WallQuery {
  readonly lang?: unknown;
  readonly mode?: unknown;
  readonly show?: unknown;
}

/** The page that is projected. */
@Injectable()
export class WallService {
  constructor(
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  /**
   * The wall of an event that the public may read; otherwise, to a browser, a page that says that there is none.
   * @throws NotFoundError `EVENT_NOT_FOUND` for clients that do not ask for a page
   */
  async send(response: Response, ref: string, query: WallQuery, wantsPage: boolean): Promise<void> {
    const event = await this.events.find(ref);
    if (!event || !isPublicStatus(event.status)) {
      if (!wantsPage) throw eventNotFound();
      const settings = await this.settings.global();
      response.setHeader('Refresh', LOOK_AGAIN);
      sendPage(response, absentPage(settings, localeOf(settings, query), event?.status === 'archived'));
      return;
    }
    const settings = await this.settings.effective(event.overrides);
    const donationUrl = this.donationUrl(event.slug, settings);
    const qr = await toQrCode(donationUrl, { type: 'svg', margin: QUIET_ZONE, errorCorrectionLevel: 'M' });
    const view = { locale: localeOf(settings, query), overlay: overlayOf(query) };
    sendPage(response, wallPage({ event, settings, donationUrl, qr, view }));
  }

  private donationUrl(slug: string, settings: Settings): string {
    const page = settings.theme.assets[DONATION_PAGE];
    return new URL(page ?? `${this.config.publicUrl}/donate/${slug}`, `${this.config.publicUrl}/`).href;
  }
}

const localeOf = ({ locales }: Settings, { lang }: WallQuery): string =>
  chooseLocale(locales, lang, undefined);

const overlayOf = ({ mode, show }: WallQuery): 'gauge' | 'feed' | undefined =>
  mode === 'overlay' ? (show === 'feed' ? 'feed' : 'gauge') : undefined;
