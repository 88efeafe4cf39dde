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
import { eventNotFound, type EventRecord } from './event-record.js';
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

/** An event's public data at one moment. */
export interface PublicEvent {
  readonly event: EventRecord;
  /** One total for each currency in use, sorted by currency code. */
  readonly totals: readonly CurrencyTotal[];
  readonly settings: Settings & { readonly isOverride: boolean };
}

const LIST = 'list';
const LIST_PATH = '/events/public';

/**
 * Public event data, cached in memory. Many readers of one event cause only one query a second, and one query after each
 * change. The data is at most one second old and includes every change that this process knows. Older data is used only if the
 * database does not answer. Contains no private data.
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
   * Returns the cached public event with this id or slug; undefined if the event is hidden from the public. Use the result only
   * for display, never for decisions.
   */
  find(ref: string): Soon<Reading<PublicEvent> | undefined> {
    if (!isId(ref) && !isSlug(ref)) return undefined;
    return this.events.lastKnown(ref);
  }

  /** True if `find` needs no query. */
  isKnown(ref: string): boolean {
    return this.events.isKnown(ref);
  }

  /**
   * Like `find`.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async get(ref: string): Promise<Reading<PublicEvent>> {
    const found = await this.find(ref);
    if (!found) throw eventNotFound();
    return found;
  }

  /** The cached list of active events with their totals, as the JSON of `PublicEventDto[]`. */
  async list(): Promise<Reading<string>> {
    const list = await this.lists.lastKnown(LIST);
    if (!list) throw new Error('The list of public events was not read');
    return list;
  }

  private async readEvent(ref: string) {
    const statement = isId(ref) ? WITH_TOTALS_BY_ID : WITH_TOTALS_BY_SLUG;
    // Both queries start at the same time. So the result includes every change that was committed before.
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
      this.logger.error({ msg: 'Event omitted from the public list', event: id, err: error });
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
      // The list omits a total that is too large for JSON. A request for this event gets the error.
      this.logger.error({ msg: 'Event total out of range', event: event.id, err: error });
    }
  }
}

/**
 * Groups rows, one for each event and currency, into the public list.
 * @param failed called with an event that cannot be shown; the list omits only that event
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
