import { Injectable } from '@nestjs/common';
import { type Principal, reachesEvent } from '../common/access/principal.js';
import { isRehearsal } from '../common/crypto/rehearsal-ids.js';
import { isolated } from '../common/text/direction.js';
import { AppConfig } from '../config/app-config.js';
import { modulesOf } from '../documents/pdf/code-modules.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../events/event-record.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { wordingFor } from '../receipts/receipt-wording.js';
import { givenColours, readColours } from '../settings/brand-colours.js';
import { donationPage } from '../settings/donation-page.js';
import { isDark, readableOn, toHex } from '../settings/palette.js';
import { SettingsService } from '../settings/settings.service.js';
import { PRINT_LANGUAGES, type PrintLanguage } from './print-limits.js';
import type { PrintColours, PrintedCode, PrintLook } from './print-pages.js';
import { PRINT_WORDING } from './print-wording.js';

/** The logo, the colours, the words and the addresses of an event's prints. */
@Injectable()
export class PrintLooks {
  constructor(
    private readonly events: EventLookup,
    private readonly issuers: ReceiptIssuers,
    private readonly settings: SettingsService,
    private readonly config: AppConfig,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async event(caller: Principal, ref: string): Promise<EventRecord> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event;
  }

  /** Returns the look of a print, in the default language of the event unless another one is chosen. */
  async of(
    event: EventRecord,
    chosen: PrintLanguage | undefined,
  ): Promise<PrintLook & { language: PrintLanguage }> {
    const { organization, logo, locale } = await this.issuers.of(event.overrides);
    const own = locale.split('-')[0];
    const language = chosen ?? PRINT_LANGUAGES.find((one) => one === own) ?? 'en';
    const wording = PRINT_WORDING[language];
    const { theme } = await this.settings.effective(event.overrides);
    const colours = coloursOf(theme.variables);
    // Cards are cut out, so each one names the rehearsal.
    const name = isRehearsal(event.id)
      ? `${wordingFor(language).wording.rehearsal}: ${isolated(event.name, language)}`
      : event.name;
    return { organization, logo, colours, event: name, language, wording, createdAt: new Date() };
  }

  /** Returns the address of the donate page with search parameters. */
  async address({ slug, overrides }: EventRecord, search: Readonly<Record<string, string>>): Promise<string> {
    const page = donationPage(await this.settings.effective(overrides), this.config.publicUrl, slug);
    const address = new URL(page);
    for (const [name, value] of Object.entries(search)) address.searchParams.set(name, value);
    return address.href;
  }

  /** Returns the code of the donate page. The code names the source of the donation, and the printed address does not. */
  async code(event: EventRecord, source: string | undefined): Promise<PrintedCode> {
    const rows = await modulesOf(await this.address(event, source === undefined ? {} : { from: source }));
    return { rows, address: shortAddress(await this.address(event, {})) };
  }
}

/** An address as printed: without protocol. */
export const shortAddress = (address: string): string =>
  address.replace(/^https?:\/\//, '').replace(/\/$/, '');

const WHITE = [255, 255, 255] as const;

/** Returns the colours of the branding for white paper. */
function coloursOf(variables: Readonly<Record<string, string>>): PrintColours {
  const { brand, paper } = readColours(givenColours(variables));
  return {
    bar: brand && toHex(brand),
    accent: brand && toHex(readableOn(brand, WHITE)),
    backing:
      paper && isDark(paper) ? { fill: toHex(paper), ink: toHex(readableOn(WHITE, paper)) } : undefined,
  };
}
