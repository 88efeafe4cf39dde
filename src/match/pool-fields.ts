import { isDeepStrictEqual } from 'node:util';
import type { KeyRing } from '../common/crypto/key-ring.js';
import { ConflictError, type FieldProblem, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { donorKeyOf } from '../donations/recording/new-donation.js';
import type { EventRecord } from '../events/event-record.js';
import type { CreateMatchPool, UpdateMatchPool } from './dto/match-pool.dto.js';
import type { PoolRow, WrittenPool } from './match.sql.js';

/** A pool before the first request. The request always sets name, cap and remainder. */
export const NEW_POOL: WrittenPool = {
  name: '',
  matcher_name: null,
  is_matcher_anonymous: false,
  matcher_email: null,
  matcher_key: null,
  logo: null,
  url: null,
  cap: 0n,
  ratio: 10_000,
  per_gift_cap: null,
  min_gift: null,
  per_donor_cap: null,
  kinds: null,
  opens_at: null,
  closes_at: null,
  grace_minutes: 120,
  keeps_pledges: false,
  keep_days: 30,
  remainder: 'not_given',
  priority: 100,
  due_on: null,
};

/** Returns the value of a sent field, or the present one if the field was not sent. */
const changed = <Value>(sent: Value | undefined, before: Value): Value =>
  sent === undefined ? before : sent;
const amount = (sent: number | null | undefined, before: bigint | null) =>
  sent === undefined ? before : sent === null ? null : BigInt(sent);
const time = (sent: string | null | undefined, before: Date | null) =>
  sent === undefined ? before : sent === null ? null : (parseInstant(sent) ?? null);

/** Returns the columns of a pool after a request. */
export function withChanges(
  before: WrittenPool,
  sent: CreateMatchPool | UpdateMatchPool,
  keys: KeyRing,
): WrittenPool {
  const email = changed(sent.matcherEmail, before.matcher_email);
  return {
    name: sent.name ?? before.name,
    matcher_name: changed(sent.matcherName, before.matcher_name),
    is_matcher_anonymous: sent.isMatcherAnonymous ?? before.is_matcher_anonymous,
    matcher_email: email,
    // The digest of an erased address stays until another address is entered.
    matcher_key: email === before.matcher_email ? before.matcher_key : donorKeyOf(keys, email),
    logo: changed(sent.logo, before.logo),
    url: changed(sent.url, before.url),
    cap: sent.cap === undefined ? before.cap : BigInt(sent.cap),
    ratio: sent.ratio ?? before.ratio,
    per_gift_cap: amount(sent.perGiftCap, before.per_gift_cap),
    min_gift: amount(sent.minGift, before.min_gift),
    per_donor_cap: amount(sent.perDonorCap, before.per_donor_cap),
    kinds: changed(sent.kinds, before.kinds),
    opens_at: time(sent.opensAt, before.opens_at),
    closes_at: time(sent.closesAt, before.closes_at),
    grace_minutes: sent.graceMinutes ?? before.grace_minutes,
    keeps_pledges: sent.pledges === undefined ? before.keeps_pledges : sent.pledges === 'keep',
    keep_days: sent.keepDays ?? before.keep_days,
    remainder: sent.remainder ?? before.remainder,
    priority: sent.priority ?? before.priority,
    due_on: changed(sent.dueOn, before.due_on),
  };
}

/** The request fields of the columns, for refusals and the audit trail. */
const FIELDS = {
  name: 'name',
  matcher_name: 'matcherName',
  is_matcher_anonymous: 'isMatcherAnonymous',
  matcher_email: 'matcherEmail',
  logo: 'logo',
  url: 'url',
  cap: 'cap',
  ratio: 'ratio',
  per_gift_cap: 'perGiftCap',
  min_gift: 'minGift',
  per_donor_cap: 'perDonorCap',
  kinds: 'kinds',
  opens_at: 'opensAt',
  closes_at: 'closesAt',
  grace_minutes: 'graceMinutes',
  keeps_pledges: 'pledges',
  keep_days: 'keepDays',
  remainder: 'remainder',
  priority: 'priority',
  due_on: 'dueOn',
} as const satisfies Record<Exclude<keyof WrittenPool, 'matcher_key'>, string>;

export type PoolField = (typeof FIELDS)[keyof typeof FIELDS];

export const changedColumns = (before: WrittenPool, after: WrittenPool): PoolField[] =>
  (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    .filter((column) => !isDeepStrictEqual(before[column], after[column]))
    .map((column) => FIELDS[column]);

/** Fields that may change while donations draw. A lower cap and an earlier end are checked separately. */
const WHILE_OPEN: ReadonlySet<PoolField> = new Set<PoolField>([
  'name',
  'matcherName',
  'isMatcherAnonymous',
  'logo',
  'url',
  'cap',
  'closesAt',
  'priority',
  'dueOn',
]);
/** Fields that no donation depends on. They may change after the end too. */
const AFTER_END: ReadonlySet<PoolField> = new Set<PoolField>([
  'name',
  'matcherName',
  'isMatcherAnonymous',
  'logo',
  'url',
  'dueOn',
]);

/** @throws ConflictError `MATCH_POOL_RUNNING`, `MATCH_POOL_OVER` */
export function refuseRunningChanges(
  before: PoolRow,
  after: WrittenPool,
  fields: readonly PoolField[],
): void {
  if (before.status === 'draft' || before.status === 'scheduled') return;
  if (before.status === 'open' || before.status === 'paused') {
    const isEarlier =
      after.closes_at !== null && (before.closes_at === null || after.closes_at < before.closes_at);
    const fixed = fields.filter((field) => !WHILE_OPEN.has(field) || (field === 'closesAt' && isEarlier));
    if (fixed.length === 0) return;
    throw new ConflictError(
      'MATCH_POOL_RUNNING',
      `Donors give on the terms of this pool: ${fixed.join(', ')} can no longer change`,
    );
  }
  if (fields.every((field) => AFTER_END.has(field))) return;
  throw new ConflictError(
    'MATCH_POOL_OVER',
    `A pool that is ${before.status} can no longer change its terms`,
  );
}

/**
 * Checks the fields of a pool against each other and against its event.
 * @param before the drawn and kept sums
 * @throws RefusedFieldsError
 */
export function refuseWrongPool(
  pool: WrittenPool,
  event: EventRecord,
  currency: string | null | undefined,
  before: Pick<PoolRow, 'drawn' | 'kept'> = { drawn: 0n, kept: 0n },
): void {
  const problems: FieldProblem[] = [];
  const refuse = (field: string, message: string) => {
    problems.push({ field, rule: 'other', message: `${field} ${message}` });
  };
  if (event.status === 'archived') refuse('eventId', 'must not be an archived event');
  if (currency && currency !== event.currency) refuse('currency', `must be the event's: ${event.currency}`);
  for (const [field, limit] of [
    ['perGiftCap', pool.per_gift_cap],
    ['minGift', pool.min_gift],
    ['perDonorCap', pool.per_donor_cap],
  ] as const)
    if (limit !== null && limit > pool.cap) refuse(field, 'must be at most cap');
  if (pool.opens_at && pool.closes_at && pool.closes_at <= pool.opens_at)
    refuse('closesAt', 'must be after opensAt');
  if (pool.cap < before.drawn + before.kept) refuse('cap', 'must be at least the drawn and kept sum');
  if (problems.length > 0) throw new RefusedFieldsError(problems);
}
