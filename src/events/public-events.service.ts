import { Injectable, Logger } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import type { Soon } from '../common/concurrency/concurrency.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { KeptAnswers } from '../common/http/kept-answers.js';
import { isId } from '../common/crypto/ids.js';
import { Database } from '../data/database.js';
import { readEffective, SettingsService } from '../settings/settings.service.js';
import type { Settings } from '../settings/settings.js';
import { toEventSettings } from './dto/event-settings.dto.js';
import { type PublicEventDto, toEventDetail, toPublicEvent } from './dto/event.dto.js';
import { eventNotFound, type EventRecord } from './event-lookup.service.js';
import { isSlug } from './event-slug.js';
import { isPublicStatus } from './event-status.js';
import type { CurrencyTotal } from './event-totals.service.js';
import {
  type EventRow,
  LIST_PUBLIC,
  type PublicRow,
  totalsIn,
  WITH_TOTALS_BY_ID,
  WITH_TOTALS_BY_SLUG,
} from './events.sql.js';

/** All that the public sees of an event, as it was at one moment. */
export interface PublicEvent {
  readonly event: EventRecord;
  /** One for each currency that has any, by code. */
  readonly totals: readonly CurrencyTotal[];
  readonly settings: Settings & { readonly isOverride: boolean };
}

const LIST = 'list';
const LIST_PATH = '/events/public';

/**
 * What everybody may read of events, from the memory of the process: a hall that looks at the same event asks the
 * database once a second, and once after each change. Never older than the last change that this process knows of, and
 * than a second, but while the database does not answer. What only some may see is not in it.
 */
@Injectable()
export class PublicEvents {
  private readonly logger = new Logger(PublicEvents.name);
  private readonly events = new FreshReads<PublicEvent>((ref) => this.readEvent(ref), {
    max: 2_000,
    changes: this.changes,
    showsOlderTotals: true,
    onKept: (ref, reading) => {
      this.render(ref, reading);
    },
  });
  private readonly lists = new FreshReads<string>(() => this.readList(), {
    max: 1,
    changes: this.changes,
    showsOlderTotals: true,
    onKept: (_, reading) => {
      this.answers.keep(LIST_PATH, LIST_PATH, reading.value, reading);
    },
  });

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly answers: KeptAnswers,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * The event with this id or slug, if the public may read it, as it was last known: to be shown, and nothing to be
   * decided by.
   */
  find(ref: string): Soon<Reading<PublicEvent> | undefined> {
    if (!isId(ref) && !isSlug(ref)) return undefined;
    return this.events.lastKnown(ref);
  }

  /** Whether `find` needs no answer of the database. */
  isKnown(ref: string): boolean {
    return this.events.isKnown(ref);
  }

  /**
   * As `find`.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async get(ref: string): Promise<Reading<PublicEvent>> {
    const found = await this.find(ref);
    if (!found) throw eventNotFound();
    return found;
  }

  /** The active events with what they have raised, as the JSON of a `PublicEventDto[]`, as last known. */
  async list(): Promise<Reading<string>> {
    const list = await this.lists.lastKnown(LIST);
    if (!list) throw new Error('the public list is always there');
    return list;
  }

  private async readEvent(ref: string) {
    const statement = isId(ref) ? WITH_TOTALS_BY_ID : WITH_TOTALS_BY_SLUG;
    // Both at once, and both before anything that is committed from now on.
    const [[row], stored] = await Promise.all([
      this.database.query<EventRow>(statement, [ref]),
      this.settings.reading(),
    ]);
    if (!row || !isPublicStatus(row.status)) return undefined;
    const { totals: _, ...event } = row;
    const value: PublicEvent = {
      event,
      totals: totalsIn(row),
      settings: readEffective(stored.value, event.overrides),
    };
    return { value, subject: event.id, askedAt: stored.askedAt };
  }

  private async readList() {
    const rows = await this.database.query<PublicRow>(LIST_PUBLIC);
    const events = toPublicEvents(rows, ({ id }, error) => {
      this.logger.error({ msg: 'An event is missing in the public list', event: id, err: error });
    });
    return { value: JSON.stringify(events), subject: undefined };
  }

  private render(ref: string, reading: Reading<PublicEvent>): void {
    const { event, totals, settings } = reading.value;
    const path = `/events/${ref}`;
    try {
      this.answers.keep(path, '/events/:slug', JSON.stringify(toEventDetail(event, totals)), reading);
      const own = toEventSettings(event, settings);
      this.answers.keep(`${path}/settings`, '/events/:slug/settings', JSON.stringify(own), reading);
    } catch (error) {
      // A total beyond what JSON can count: whoever asks for it is told so.
      this.logger.error({ msg: 'An event cannot be shown', event: event.id, err: error });
    }
  }
}

/**
 * Rows that come event by event, one for each currency, as the public list.
 * @param failed an event that cannot be shown is left out and named here: it must not cost the others their place
 */
function toPublicEvents(
  rows: readonly PublicRow[],
  failed: (event: PublicRow, error: unknown) => void,
): PublicEventDto[] {
  const totalsOf = new Map<PublicRow, CurrencyTotal[]>();
  let event: PublicRow | undefined;
  for (const row of rows) {
    if (row.id !== event?.id) {
      event = row;
      totalsOf.set(event, []);
    }
    const { totalCurrency: currency, totalRaised, donorCount } = row;
    if (currency !== null) totalsOf.get(event)?.push({ currency, totalRaised, donorCount });
  }
  return [...totalsOf].flatMap(([listed, totals]) => {
    try {
      return [toPublicEvent(listed, totals)];
    } catch (error) {
      failed(listed, error);
      return [];
    }
  });
}
