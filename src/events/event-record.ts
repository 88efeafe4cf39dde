import type { EventStatus } from './event-status.js';

/** One event as the database has it. */
export interface EventRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly date: Date;
  /** Minor units of `currency`. */
  readonly goalAmount: bigint;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly status: EventStatus;
  /** The event's overrides of the global settings, as stored. */
  readonly overrides: unknown;
  readonly createdAt: Date;
}

/** The columns of an `EventRecord`, for the `SELECT` and `RETURNING` lists of this folder. */
export const EVENT_COLUMNS =
  'id, slug, name, description, date, goal_amount AS "goalAmount", currency, status, overrides, ' +
  'created_at AS "createdAt"';
