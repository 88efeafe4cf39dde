import { Injectable } from '@nestjs/common';
import { type Principal, reachesEvent } from '../common/access/principal.js';
import { RefusedFieldsError } from '../common/errors/domain-errors.js';
import { fillText } from '../common/text/fill-text.js';
import { AppConfig } from '../config/app-config.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { readSource } from '../donations/recording/source.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../events/event-record.js';
import { GuestLists } from '../guests/guest-list.service.js';
import { givenColours, readColours } from '../settings/brand-colours.js';
import { donationPage } from '../settings/donation-page.js';
import { isDark, readableOn, toHex } from '../settings/palette.js';
import { SettingsService } from '../settings/settings.service.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { type GuestListQuery, type PosterQuery, type TableCardsQuery, tableNames } from './dto/print.dto.js';
import { modulesOf } from '../documents/pdf/code-modules.js';
import type { GuestListToDraw } from './guest-list-pdf.js';
import { GUEST_LIST_WORDING } from './guest-list-wording.js';
import { MOST_CARDS, PRINT_LANGUAGES, type PrintLanguage } from './print-limits.js';
import type { CardsToDraw, PosterToDraw, PrintColours, PrintedCode } from './print-pages.js';
import { PRINT_WORDING } from './print-wording.js';

const FILE = threadFile('prints/print-pages.js');
const POSTER: ThreadFunction<PosterToDraw, Uint8Array> = { file: FILE, name: 'posterPdf' };
const CARDS: ThreadFunction<CardsToDraw, Uint8Array> = { file: FILE, name: 'tableCardsPdf' };

const GUEST_LIST: ThreadFunction<GuestListToDraw, Uint8Array> = {
  file: threadFile('prints/guest-list-pdf.js'),
  name: 'guestListPdf',
};

/** Draws posters and table cards with the code of an event's donate page, and guest lists on paper. */
@Injectable()
export class Prints {
  constructor(
    private readonly events: EventLookup,
    private readonly issuers: ReceiptIssuers,
    private readonly settings: SettingsService,
    private readonly config: AppConfig,
    private readonly thread: ExportThread,
    private readonly guests: GuestLists,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async poster(caller: Principal, ref: string, { paper = 'a4', language }: PosterQuery) {
    const event = await this.event(caller, ref);
    const look = await this.look(event, language);
    const code = await this.code(event, 'poster');
    return { slug: event.slug, file: await this.thread.bytes(POSTER, { ...look, code, paper }) };
  }

  /**
   * Draws one card for each table. The code of a card names its table as the source of the donation.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async tableCards(caller: Principal, ref: string, query: TableCardsQuery) {
    const event = await this.event(caller, ref);
    const look = await this.look(event, query.language);
    const cards = await Promise.all(
      tablesOf(query).map(async (name) => ({
        table: /^\d+$/.test(name) ? fillText(look.wording.table, { table: name }) : name,
        code: await this.code(event, sourceOf(name)),
      })),
    );
    return { slug: event.slug, file: await this.thread.bytes(CARDS, { ...look, cards }) };
  }

  /**
   * Draws the guest list by table or by name.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async guestList(caller: Principal, ref: string, { order = 'table', language: chosen }: GuestListQuery) {
    const event = await this.event(caller, ref);
    const { organization, language } = await this.look(event, chosen);
    const guests = await this.guests.all(caller, event.id);
    const list = {
      event: event.name,
      organization,
      language,
      wording: GUEST_LIST_WORDING[language],
      order,
      guests: guests.map(({ name, table, seat, paddle, note }) => ({ name, table, seat, paddle, note })),
    };
    return {
      slug: event.slug,
      file: await this.thread.bytes(GUEST_LIST, { ...list, createdAt: new Date() }),
    };
  }

  private async event(caller: Principal, ref: string): Promise<EventRecord> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event;
  }

  private async look(event: EventRecord, chosen: PrintLanguage | undefined) {
    const { organization, logo, locale } = await this.issuers.of(event.overrides);
    const own = locale.split('-')[0];
    const language = chosen ?? PRINT_LANGUAGES.find((one) => one === own) ?? 'en';
    const wording = PRINT_WORDING[language];
    const { theme } = await this.settings.effective(event.overrides);
    const colours = coloursOf(theme.variables);
    return { organization, logo, colours, event: event.name, language, wording, createdAt: new Date() };
  }

  private async code({ slug, overrides }: EventRecord, source: string | undefined): Promise<PrintedCode> {
    const page = donationPage(await this.settings.effective(overrides), this.config.publicUrl, slug);
    const coded = new URL(page);
    if (source !== undefined) coded.searchParams.set('from', source);
    const rows = await modulesOf(coded.href);
    return { rows, address: page.replace(/^https?:\/\//, '').replace(/\/$/, '') };
  }
}

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

/** @throws RefusedFieldsError if the range is empty or too long */
function tablesOf({ from = 1, to, names }: TableCardsQuery): string[] {
  if (names !== undefined) return tableNames(names);
  const last = to ?? from;
  const count = last - from + 1;
  if (count < 1 || count > MOST_CARDS)
    throw new RefusedFieldsError([
      {
        field: 'to',
        rule: count < 1 ? 'minimum' : 'maximum',
        limit: count < 1 ? from : from + MOST_CARDS - 1,
        message: `to must be from ${from} to ${from + MOST_CARDS - 1}`,
      },
    ]);
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/**
 * Returns the source of a table: `table-7`, or the name in Latin letters. Undefined if the name contains no
 * Latin letter.
 */
function sourceOf(name: string): string | undefined {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return readSource(`table-${plain}`.slice(0, 40).replace(/-+$/, ''));
}
