import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { within } from '../common/concurrency/within.js';
import { ImagesService } from '../images/images.service.js';
import type { EdgeTones } from '../settings/logo-plate.js';
import type { Settings } from '../settings/settings.js';

/** Maximum wait for the database. Without an answer, the tones are unknown. */
const PATIENCE_MS = 500;
/** The address of an uploaded image names its content, so all applications of the process can share this. */
const known = new LRUCache<string, EdgeTones>({ max: 1_000 });

/** Returns the lightness of a logo at its edges; `unknown` if `LogoTones.read` could not read it, as on another host. */
export const edgeTonesOfLogo = ({ theme }: Pick<Settings, 'theme'>): EdgeTones | 'unknown' =>
  theme.assets.logo === undefined ? [] : (known.get(theme.assets.logo) ?? 'unknown');

/** Reads the lightness of logos, which decides whether a page shows a plate behind them. */
@Injectable()
export class LogoTones {
  constructor(private readonly images: ImagesService) {}

  /** Reads the logo of the page that is sent next. Never throws, because a page with an outline instead of a plate is better than none. */
  async read({ theme }: Pick<Settings, 'theme'>): Promise<void> {
    const { logo } = theme.assets;
    if (logo === undefined || known.has(logo)) return;
    const tones = await within(PATIENCE_MS, this.images.edgeTones(logo)).catch(() => undefined);
    if (tones) known.set(logo, tones);
  }
}
