import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { Database, type Statement } from '../data/database.js';
import { isRehearsal } from '../common/crypto/rehearsal-ids.js';
import { eventNotFound, type EventRecord, rehearsalOver } from './event-record.js';
import { isSlug } from './event-slug.js';

/** Columns of an `EventRecord`, for `SELECT` and `RETURNING`. */
export const EVENT_COLUMNS =
  'id, slug, name, description, date, goal_amount AS "goalAmount", currency, status, overrides, ' +
  'created_at AS "createdAt"';

const BY_ID: Statement = { name: 'event_by_id', text: `SELECT ${EVENT_COLUMNS} FROM event WHERE id = $1` };
const BY_SLUG: Statement = {
  name: 'event_by_slug',
  text: `SELECT ${EVENT_COLUMNS} FROM event WHERE slug = $1`,
};

/** Finds events by id or slug. */
@Injectable()
export class EventLookup {
  constructor(private readonly database: Database) {}

  /** Returns the event with this id or slug, in any state; undefined if no such event exists. */
  async find(ref: string): Promise<EventRecord | undefined> {
    if (isId(ref)) return (await this.database.query<EventRecord>(BY_ID, [ref]))[0];
    if (isSlug(ref)) return (await this.database.query<EventRecord>(BY_SLUG, [ref]))[0];
    return undefined;
  }

  /**
   * Like `find`.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws GoneError `REHEARSAL_OVER` for the id of a deleted rehearsal
   */
  async get(ref: string): Promise<EventRecord> {
    const event = await this.find(ref);
    if (!event) throw isRehearsal(ref) ? rehearsalOver() : eventNotFound();
    return event;
  }
}
