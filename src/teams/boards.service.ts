import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { Database } from '../data/database.js';
import { eventNotFound } from '../events/event-record.js';
import { PublicEvents } from '../events/public-events.service.js';
import { currencyExponent } from '../common/money/money.js';
import { type BoardOrder, rankTeams, type TeamFigures } from './board.js';
import { type BoardDto, toBoardRow } from './dto/board.dto.js';
import { BOARD } from './teams.sql.js';

/** The public boards of teams, kept in memory. A board is at most one second old. */
@Injectable()
export class Boards {
  private readonly teams = new FreshReads<readonly TeamFigures[]>((key) => this.read(key), {
    max: 500,
    changes: this.changes,
    showsOlderTotals: true,
  });

  constructor(
    private readonly database: Database,
    private readonly events: PublicEvents,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Returns the board of a public event.
   * @param ref id or slug
   * @param order default: the order of the settings
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async board(ref: string, order?: BoardOrder): Promise<Reading<BoardDto>> {
    const reading = await this.events.get(ref);
    const { event, settings } = reading.value;
    const hasEnded = event.status === 'closed';
    const teams = await this.teams.lastKnown(`${event.id} ${hasEnded ? 'ended' : 'open'}`);
    if (!teams) throw eventNotFound();
    const { minGifts, roundTo } = settings.boards;
    const by = order ?? settings.boards.order;
    const { compare } = new Intl.Collator(settings.locales.default, { numeric: true });
    const rules = { minGifts, roundTo: BigInt(roundTo) * 10n ** BigInt(currencyExponent(event.currency)) };
    const data = rankTeams(teams.value, by, rules, compare).map(toBoardRow);
    return { ...teams, value: { currency: event.currency, by, minGifts, data } };
  }

  private async read(key: string) {
    const [eventId, state] = key.split(' ');
    const rows = await this.database.query<TeamFigures>(BOARD, [eventId, state === 'ended']);
    return { value: rows, subject: eventId };
  }
}
