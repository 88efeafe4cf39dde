import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { RefusedFieldsError } from '../common/errors/domain-errors.js';
import { fillText } from '../common/text/fill-text.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { readSource } from '../donations/recording/source.js';
import { GuestLists } from '../guests/guest-list.service.js';
import { type GuestListQuery, type PosterQuery, type TableCardsQuery, tableNames } from './dto/print.dto.js';
import type { GuestListToDraw } from './guest-list-pdf.js';
import { GUEST_LIST_WORDING } from './guest-list-wording.js';
import { MOST_CARDS } from './print-limits.js';
import { PrintLooks } from './print-looks.service.js';
import type { CardsToDraw, PosterToDraw } from './print-pages.js';

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
    private readonly looks: PrintLooks,
    private readonly thread: ExportThread,
    private readonly guests: GuestLists,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async poster(caller: Principal, ref: string, { paper = 'a4', language }: PosterQuery) {
    const event = await this.looks.event(caller, ref);
    const look = await this.looks.of(event, language);
    const code = await this.looks.code(event, 'poster');
    return { slug: event.slug, file: await this.thread.bytes(POSTER, { ...look, code, paper }) };
  }

  /**
   * Draws one card for each table. The code of a card names its table as the source of the donation.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async tableCards(caller: Principal, ref: string, query: TableCardsQuery) {
    const event = await this.looks.event(caller, ref);
    const look = await this.looks.of(event, query.language);
    const cards = await Promise.all(
      tablesOf(query).map(async (name) => ({
        table: /^\d+$/.test(name) ? fillText(look.wording.table, { table: name }) : name,
        code: await this.looks.code(event, sourceOf(name)),
      })),
    );
    return { slug: event.slug, file: await this.thread.bytes(CARDS, { ...look, cards }) };
  }

  /**
   * Draws the guest list by table or by name.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async guestList(caller: Principal, ref: string, { order = 'table', language: chosen }: GuestListQuery) {
    const event = await this.looks.event(caller, ref);
    const { organization, language } = await this.looks.of(event, chosen);
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
