import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, type Statement } from '../data/database.js';
import { GUEST_DAYS } from '../settings/settings.js';

const BATCH = 500;

/**
 * Deletes a guest if both the day of the event and the last change of the guest are older than the number of
 * days in the settings. The day of an event without a chosen day is the day of its creation, so the last
 * change must be old too. Otherwise guests would be deleted while the team still changes the list.
 * $1: maximum number of rows
 */
const DELETE_OLD: Statement = {
  name: 'guests_delete_old',
  text: `DELETE FROM guest WHERE id IN (SELECT g.id FROM guest g JOIN event e ON e.id = g.event_id
      LEFT JOIN global_settings s ON true
      CROSS JOIN LATERAL (SELECT now() - make_interval(days => coalesce((e.overrides #>> '{privacy,guestDays}')::int,
        (s.value #>> '{privacy,guestDays}')::int, ${GUEST_DAYS})) AS time) AS oldest
      WHERE e.date < oldest.time AND g.updated_at < oldest.time
      LIMIT $1)
    RETURNING id`,
};

/** Deletes the guests of past events, because the guest list is personal data. */
@Injectable()
export class GuestRetention {
  constructor(private readonly database: Database) {}

  /** Deletes one batch of guests and returns their number. */
  @Cron('37 * * * *')
  async delete(): Promise<number> {
    return (await this.database.query(DELETE_OLD, [BATCH])).length;
  }
}
