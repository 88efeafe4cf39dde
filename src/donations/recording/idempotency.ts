import { hash } from 'node:crypto';
import type { Principal } from '../../common/access/principal.js';
import { ConflictError, InvalidInputError } from '../../common/errors/domain-errors.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import { ANSWER, ANSWERS_OF, CLAIM, FIND, PRUNE } from './idempotency.sql.js';

/** A stored idempotency key. */
export interface IdempotencyKey {
  /** Owner of the key: `staff:<id>`, `admin:<id>`, `intent:<event id>`, `record` or `refund`. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of the request. A client must use each key for one request only. */
  readonly digest: Buffer;
}

export interface KeptAnswer {
  readonly request_digest: Buffer;
  readonly donation_id: string;
  /** Null until the request has a final answer. */
  readonly answer: string | null;
  /** Currency of the donation, because the stored response omits the currency. Null without a donation. */
  readonly currency: string | null;
  /** `recorded_at` of the donation, because the stored response omits this time. Null if it equals the creation time. */
  readonly recorded_at: Date | null;
}

/** Encrypts a response before it is stored, because the response can contain names and e-mail addresses. */
export const sealAnswer = (keys: KeyRing, answer: object): string =>
  keys.seal('answer-seal', JSON.stringify(answer)).toString('base64');

/** Decrypts a stored response. Old versions stored responses without encryption; these are read unchanged. */
export function openAnswer(keys: KeyRing, kept: string): unknown {
  const text = kept.startsWith('{') ? kept : keys.open('answer-seal', Buffer.from(kept, 'base64'));
  return JSON.parse(text) as unknown;
}

/**
 * Reads the `Idempotency-Key` header: 1 to 255 printable ASCII characters.
 * @throws InvalidInputError for anything else
 */
export function readIdempotencyKey(
  header: string | undefined,
  scope: string,
  request: object,
): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header) || header.trim() === '')
    throw new InvalidInputError(
      'IDEMPOTENCY_KEY_INVALID',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  return { scope, key: header, digest: hash('sha256', canonical(request), 'buffer') };
}

const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Returns the owner of an offline donation's key. A random UUID, such as `crypto.randomUUID()` returns, identifies one record
 * of a terminal. So any member may send the record after another member has signed in. Two people may use the same key of any
 * other form, so such a key belongs to its sender.
 */
export const scopeOfRecord = (caller: Pick<Principal, 'role' | 'id'>, header: string | undefined): string =>
  header !== undefined && RANDOM_UUID.test(header) ? 'record' : `${caller.role.toLowerCase()}:${caller.id}`;

/** Writes JSON with sorted field names, so that the order of the fields does not change the digest. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}

/**
 * The stored response of a key, or undefined.
 * @throws ConflictError if the key was used for another request
 */
export async function keptAnswer(db: SqlExecutor, key: IdempotencyKey): Promise<KeptAnswer | undefined> {
  const [kept] = await db.query<KeptAnswer>(FIND, [key.scope, key.key]);
  if (kept && !kept.request_digest.equals(key.digest)) throw keyReused();
  return kept;
}

export const keyReused = () =>
  new ConflictError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request');

/** Claims the key. Returns false if it is already in use. */
export async function claimKey(db: SqlExecutor, key: IdempotencyKey, donationId: string): Promise<boolean> {
  return (await db.query(CLAIM, [key.scope, key.key, key.digest, donationId])).length > 0;
}

export async function keepAnswer(db: SqlExecutor, key: IdempotencyKey, answer: string): Promise<void> {
  await db.query(ANSWER, [key.scope, key.key, answer]);
}

/** Deletes keys older than three days, in limited batches. */
export async function pruneKeys(db: SqlExecutor): Promise<void> {
  await db.query(PRUNE);
}

/** Returns the decrypted responses that are stored for these donations. */
export async function answersOf(
  db: SqlExecutor,
  keys: KeyRing,
  donationIds: readonly string[],
): Promise<KeptAnswerOf[]> {
  const rows = await db.query<{ scope: string; key: string; answer: string }>(ANSWERS_OF, [[...donationIds]]);
  return rows.map(({ scope, key, answer }) => ({ scope, key, answer: openAnswer(keys, answer) }));
}

export interface KeptAnswerOf {
  readonly scope: string;
  readonly key: string;
  readonly answer: unknown;
}

/** Removes the notified person from the tributes in stored responses. */
export async function eraseNotifiedFromAnswers(
  tx: Transaction,
  keys: KeyRing,
  donationId: string,
): Promise<void> {
  for (const { scope, key, answer } of await answersOf(tx, keys, [donationId])) {
    if (typeof answer !== 'object' || answer === null || !('tribute' in answer)) continue;
    const tribute = { ...(answer.tribute as object), message: null, notifyEmail: null };
    await tx.query(ANSWER, [scope, key, sealAnswer(keys, { ...answer, tribute })]);
  }
}

/** Fields with donor data that a response omits if they are empty. */
const OPTIONAL_DONOR_FIELDS = new Set(['donorAddress', 'address', 'giftAid', 'reference', 'note', 'tribute']);

/** Removes the donor data from stored responses. The keys stay, so that a repeat does not create a second donation. */
export async function eraseFromAnswers(
  tx: Transaction,
  keys: KeyRing,
  donationIds: readonly string[],
): Promise<void> {
  for (const { scope, key, answer } of await answersOf(tx, keys, donationIds)) {
    if (typeof answer !== 'object' || answer === null || !('donorName' in answer)) continue;
    const kept = Object.entries(answer).filter(([field]) => !OPTIONAL_DONOR_FIELDS.has(field));
    const nobody = {
      ...Object.fromEntries(kept),
      donorName: null,
      donorEmail: null,
      message: null,
      isAnonymous: true,
    };
    await tx.query(ANSWER, [scope, key, sealAnswer(keys, nobody)]);
  }
}
