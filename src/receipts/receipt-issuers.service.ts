import { Injectable } from '@nestjs/common';
import { SettingsService } from '../settings/settings.service.js';
import type { ReceiptIssuer } from './receipt-content.js';
import { ReceiptLogo } from './receipt-logo.js';

/** Reads the issuer of an event's receipts from the settings in effect. */
@Injectable()
export class ReceiptIssuers {
  constructor(
    private readonly settings: SettingsService,
    private readonly logo: ReceiptLogo,
  ) {}

  /** @param overrides the event's overrides, as stored */
  async of(overrides: unknown): Promise<ReceiptIssuer> {
    const { organization, legal, locales, timezone, theme } = await this.settings.effective(overrides);
    return {
      organization,
      ...legal,
      locale: locales.default,
      supported: locales.supported,
      timezone,
      logo: await this.logo.read(theme.assets.logo),
    };
  }
}
