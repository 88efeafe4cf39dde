import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { SettingsService } from '../settings/settings.service.js';
import { type PackPlan, packPlan } from './pack-plan.js';
import type { ReceiptIssuer } from './receipt-content.js';
import { CHECK_PATH } from './check-code.js';
import { ReceiptLogo } from './receipt-logo.js';

/** Reads the issuer of an event's receipts from the settings in effect. */
@Injectable()
export class ReceiptIssuers {
  constructor(
    private readonly settings: SettingsService,
    private readonly logo: ReceiptLogo,
    private readonly config: AppConfig,
  ) {}

  /** @param overrides the event's overrides, as stored */
  async of(overrides: unknown): Promise<ReceiptIssuer> {
    const { organization, legal, locales, timezone, theme } = await this.settings.effective(overrides);
    const { legalName, taxId, address, footer, signatory } = legal;
    return {
      organization,
      legalName,
      taxId,
      address,
      footer,
      signatory,
      locale: locales.default,
      supported: locales.supported,
      timezone,
      logo: await this.logo.read(theme.assets.logo),
      checkAddress: this.config.publicUrlGiven ? `${this.config.publicUrl}${CHECK_PATH}` : undefined,
    };
  }

  /**
   * Returns the pack of an event's receipts with the facts of the organization; undefined if the receipts are acknowledgements.
   * @param overrides the event's overrides, as stored
   */
  async planOf(overrides: unknown): Promise<PackPlan | undefined> {
    return packPlan(await this.settings.effective(overrides));
  }
}
