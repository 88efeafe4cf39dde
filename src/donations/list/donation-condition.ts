import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Scope } from '../../common/access/principal.js';
import { RefusedFieldsError } from '../../common/errors/domain-errors.js';
import { firstIdAt, isId } from '../../common/crypto/ids.js';
import { withoutWildcards } from '../../common/text/text.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import {
  cancelledAs,
  WALL_HELD,
  DISPUTED,
  inPayout,
  NOT_REFUNDED,
  ofMatchPool,
  pledgesThatAre,
  REFUNDED,
} from './donation-filters.sql.js';
import { MANY } from '../store/donations.sql.js';
import type { DonationFilterDto } from '../dto/list-donations.dto.js';

const ID_FILTERS = [
  ['id', 'id'],
  ['staffId', 'staff_id'],
  ['terminalId', 'terminal_id'],
  ['roundId', 'round_id'],
  ['teamId', 'team_id'],
] as const;

/** Conditions for a WHERE clause, with their values. The condition texts are constants of this file. */
export interface DonationCondition {
  readonly where: string;
  readonly values: unknown[];
}

export interface ListCondition extends DonationCondition {
  /**
   * The compared columns in order. An entry is the name of a column that is compared with one value, `id` for a time range, or
   * `MANY` for any other condition.
   */
  readonly by: readonly string[];
}

/**
 * Combines the filters and the scope into one condition on `donation`.
 * @param eventId the event of the filter; must be within the scope
 */
export function conditionOf(
  scope: Scope,
  eventId: string | undefined,
  filter: DonationFilterDto,
): ListCondition {
  const where: string[] = [];
  const values: unknown[] = [];
  const by: string[] = [];
  const add = (compared: string, text: (placeholder: string) => string, value: unknown) => {
    values.push(value);
    where.push(text(`$${values.length}`));
    by.push(compared);
  };
  const holds = (condition: string) => {
    where.push(condition);
    by.push(MANY);
  };
  const equals = (column: string, value: unknown) => {
    add(column, (p) => `${column} = ${p}`, value);
  };
  if (scope.kind === 'own-event') {
    equals('event_id', scope.eventId);
    equals('staff_id', scope.staffId);
  } else if (eventId !== undefined) equals('event_id', eventId);
  else if (scope.kind === 'events-of-key')
    add(MANY, (p) => `event_id = ANY(string_to_array(${p}, ',')::uuid[])`, [...scope.eventIds].join(','));
  // Not in `by`, because almost all rows fulfil it.
  else where.push(notRehearsal('event_id'));
  // A single value is compared with `=`, so that PostgreSQL can read the rows from the index in list order.
  for (const column of ['status', 'type'] as const) {
    const words = filter[column];
    if (!words) continue;
    const [compared, text] = words.length === 1 ? [column, oneOf] : [MANY, anyOf];
    add(compared, (p) => text(column, p), listed(words));
  }
  if (filter.currency) add(MANY, (p) => `currency = ${p}`, filter.currency);
  if (filter.provider) add(MANY, (p) => `provider = ${p}`, filter.provider);
  if (filter.method) add(MANY, (p) => `(method = ${p} OR wallet = ${p})`, filter.method);
  if (filter.refunded !== undefined) holds(filter.refunded ? REFUNDED : NOT_REFUNDED);
  if (filter.disputed) holds(DISPUTED[filter.disputed]);
  if (filter.payoutId) add(MANY, inPayout, filter.payoutId);
  if (filter.cancelledAs) holds(cancelledAs(filter.cancelledAs));
  if (filter.tribute !== undefined) holds(filter.tribute ? 'tribute IS NOT NULL' : 'tribute IS NULL');
  if (filter.held !== undefined) holds(filter.held ? WALL_HELD : `NOT (${WALL_HELD})`);
  if (filter.paddle) equals('paddle', filter.paddle);
  if (filter.pledge) add(MANY, pledgesThatAre, listed(filter.pledge));
  if (filter.matchPoolId) add(MANY, ofMatchPool[filter.matchPart ?? 'drawn'], filter.matchPoolId);
  for (const [field, column] of ID_FILTERS) {
    const id = filter[field];
    if (!id) continue;
    if (!isId(id))
      throw new RefusedFieldsError([{ field, rule: 'pattern', message: `${field} must be an id` }]);
    equals(column, id);
  }
  // Ids start with their creation time, so a time range is an id range.
  if (filter.from) add('id', (p) => `id >= ${p}`, firstIdAt(instant(filter.from)));
  if (filter.to) add('id', (p) => `id < ${p}`, firstIdAt(instant(filter.to)));
  if (filter.updatedFrom)
    add('updated_at', (p) => `updated_at >= ${p}::timestamptz`, instant(filter.updatedFrom).toISOString());
  if (filter.updatedTo)
    add('updated_at', (p) => `updated_at < ${p}::timestamptz`, instant(filter.updatedTo).toISOString());
  if (filter.search)
    add(
      MANY,
      (p) => `lower(coalesce(donor_name, '') || ' ' || coalesce(donor_email, '')) LIKE lower(${p})`,
      // PostgreSQL converts both sides with lower(), because JavaScript gives different results in some alphabets.
      `%${withoutWildcards(filter.search)}%`,
    );
  return { where: where.length > 0 ? where.join(' AND ') : 'true', values, by };
}

const oneOf = (column: string, placeholder: string) => `${column} = ${placeholder}::donation_${column}`;

const anyOf = (column: string, placeholder: string) =>
  `${column} = ANY(string_to_array(${placeholder}, ',')::donation_${column}[])`;

/** Joins all values into one text parameter, because an export writes each parameter as one literal. */
const listed = (words: readonly string[]) => words.join(',');

function instant(text: string): Date {
  const time = parseInstant(text);
  if (!time)
    throw new RefusedFieldsError([
      { field: 'from', rule: 'date', message: 'from and to must be ISO 8601 timestamps' },
    ]);
  return time;
}
