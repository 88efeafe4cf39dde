import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { toString as toQrCode } from 'qrcode';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { AppConfig } from '../../config/app-config.js';
import { EventLookup, eventNotFound } from '../../events/event-lookup.service.js';
import { isPublicStatus } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { renderWall, wallPolicy } from './wall-page.js';

export interface WallFile {
  /** File extension, which names the content type. */
  readonly type: string;
  readonly content: Buffer;
}

export interface WallAnswer {
  readonly html: string;
  /** The Content-Security-Policy it needs. */
  readonly policy: string;
}

/** Name of the branding asset with the address of the charity's donation page. */
const DONATION_PAGE = 'donationPage';

/** The page that is projected: its files, and the page of an event. */
@Injectable()
export class WallService {
  private readonly files = new Map<string, WallFile>();

  constructor(
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {
    const folder = new URL('./assets/', import.meta.url);
    for (const name of readdirSync(folder))
      this.files.set(name, { type: extname(name).slice(1), content: readFileSync(new URL(name, folder)) });
  }

  /**
   * The wall of an event that the public may read.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async page(ref: string): Promise<WallAnswer> {
    const event = await this.events.get(ref);
    if (!isPublicStatus(event.status)) throw eventNotFound();
    const settings = await this.settings.effective(event.overrides);
    const donationUrl = this.donationUrl(event.slug, settings);
    const qr = await toQrCode(donationUrl, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' });
    const nonce = randomBytes(16).toString('base64');
    const model = { event, settings, donationUrl, qr: named(qr, donationUrl), nonce };
    return { html: renderWall(this.file('wall.html').content.toString(), model), policy: wallPolicy(model) };
  }

  /** @throws NotFoundError for anything that is not one of the page's own files */
  file(name: string): WallFile {
    const file = this.files.get(name);
    if (!file) throw new NotFoundError();
    return file;
  }

  private donationUrl(slug: string, settings: Settings): string {
    const page = settings.theme.assets[DONATION_PAGE];
    return new URL(page ?? `${this.config.publicUrl}/donate/${slug}`, `${this.config.publicUrl}/`).href;
  }
}

/** The drawing as a picture with a name. */
const named = (svg: string, url: string): string =>
  svg.replace('<svg ', `<svg role="img" aria-label="QR code: ${encodeURI(url).replace(/["&<>]/g, '')}" `);
