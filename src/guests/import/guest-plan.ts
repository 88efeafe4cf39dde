import { createHash } from 'node:crypto';
import type { FieldProblem } from '../../common/errors/domain-errors.js';
import { newId } from '../../common/crypto/ids.js';
import type { CreateGuest } from '../dto/guest.dto.js';
import type { ReadGuest } from './guest-row.js';

/*
 * Decides for each row of a file if the row is a new guest, a changed guest, an unchanged guest, or wrong.
 * The same row of the same list is always the same guest, even if the list is imported several times. Two
 * equal rows of one list are two guests.
 */

const TEXTS = ['name', 'email', 'phone', 'table', 'seat', 'party', 'note'] as const;
const FLAGS = ['isVip', 'needsHelp'] as const;
export const IMPORTED_FIELDS = [...TEXTS, ...FLAGS] as const;
type ImportedField = (typeof IMPORTED_FIELDS)[number];
export type GuestValues = { readonly [Field in ImportedField]: NonNullable<CreateGuest[Field]> | null };

/** A guest of the event, with the fields that the plan needs. */
export interface KnownGuest extends GuestValues {
  readonly id: string;
  /** Hexadecimal. */
  readonly importKey: string | null;
  /** The guest's own paddle, or the paddle that the guest shares. */
  readonly paddle: string | null;
  /** The guest who has the shared paddle. */
  readonly sharesPaddleWith: string | null;
}

/** A row of the file with its key. A wrong row has no key. */
export interface KeyedRow {
  readonly number: number;
  readonly read: ReadGuest;
  /** Hexadecimal digest. */
  readonly key: string | undefined;
}

/** How a guest gets the paddle in the file: as the guest's own paddle, or shared with another guest. */
export type PaddleOfRow = { readonly paddle: string } | { readonly sharesPaddleWith: string };

export type Decision =
  | {
      readonly outcome: 'created';
      readonly id: string;
      readonly key: string;
      readonly values: Partial<GuestValues>;
      readonly lastName: string | undefined;
      readonly paddle: PaddleOfRow | undefined;
    }
  | {
      readonly outcome: 'changed';
      readonly id: string;
      readonly values: Partial<GuestValues>;
      readonly before: Partial<GuestValues>;
      readonly lastName: string | undefined;
      readonly paddle: PaddleOfRow | undefined;
    }
  | { readonly outcome: 'same' }
  | { readonly outcome: 'wrong'; readonly problems: readonly FieldProblem[] };

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const likeKey = ({ name, email, table }: Pick<GuestValues, 'name' | 'email' | 'table'>): string =>
  JSON.stringify([name, email, table].map((text) => text?.toLowerCase() ?? ''));

/** Counts the earlier occurrences of a key. */
class Occurrences {
  private readonly counts = new Map<string, number>();

  next(key: string): number {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count;
  }
}

const keyOfLike = (like: string, occurrence: number): string => digest(`guest ${like} ${occurrence}`);

/**
 * Computes the key of each row: the digest of the row's own id, or of name, e-mail address, table and the
 * number of equal rows before.
 */
export class RowKeys {
  private readonly occurrences = new Occurrences();

  of(number: number, read: ReadGuest): KeyedRow {
    if ('problems' in read) return { number, read, key: undefined };
    const { ownId, guest } = read.item;
    if (ownId !== undefined) {
      const key = digest(`id ${ownId}`);
      if (this.occurrences.next(key) === 1) return { number, read, key };
      const problem = { field: 'id', rule: 'duplicate', message: 'id is in the file twice' } as const;
      return { number, read: { problems: [problem] }, key: undefined };
    }
    const { name, email = null, table = null } = guest;
    const like = likeKey({ name, email, table });
    return { number, read, key: keyOfLike(like, this.occurrences.next(like)) };
  }
}

interface PaddleHolder {
  readonly id: string;
  readonly party: string | null;
  readonly table: string | null;
}

/** A plan for the rows of a file, based on the current guests of the event. */
export class GuestPlan {
  private readonly byId = new Map<string, KnownGuest>();
  private readonly byKey = new Map<string, KnownGuest>();
  private readonly holders = new Map<string, PaddleHolder>();
  /** Guests whose paddle changes. */
  private readonly released = new Set<string>();

  /** @param known the guests of the event, in the order of their ids */
  constructor(known: readonly KnownGuest[]) {
    const occurrences = new Occurrences();
    for (const guest of known) {
      this.byId.set(guest.id, guest);
      // A guest who was added by hand matches a row with equal values.
      this.byKey.set(guest.importKey ?? keyOfLike(likeKey(guest), occurrences.next(likeKey(guest))), guest);
      if (guest.paddle !== null && guest.sharesPaddleWith === null) this.holders.set(guest.paddle, guest);
    }
  }

  /**
   * Decides about the rows of one transaction. Later rows see the result of earlier rows. Only rows of the same call can
   * exchange paddles with each other; otherwise, a paddle is free only after the row that frees it.
   */
  decide(rows: readonly KeyedRow[]): Decision[] {
    for (const row of rows) this.release(row);
    return rows.map((row) => this.decideOne(row));
  }

  /** Frees the paddle of a guest who gets another paddle. */
  private release({ read, key }: KeyedRow): void {
    if ('problems' in read || key === undefined) return;
    const known = this.knownGuest(key, read.item.ownId);
    const { paddle } = read.item.guest;
    if (!known?.paddle || !paddle || known.paddle === paddle || known.sharesPaddleWith !== null) return;
    this.holders.delete(known.paddle);
    this.released.add(known.id);
  }

  private knownGuest(key: string, ownId: string | undefined): KnownGuest | undefined {
    return this.byKey.get(key) ?? this.byId.get(ownId?.toLowerCase() ?? '');
  }

  private decideOne({ read, key }: KeyedRow): Decision {
    if ('problems' in read || key === undefined)
      return { outcome: 'wrong', problems: 'problems' in read ? read.problems : [] };
    const { ownId, lastName, guest } = read.item;
    const known = this.knownGuest(key, ownId);
    const id = known?.id ?? newId();
    const paddle = this.paddleFor(id, known, guest);
    if (paddle === 'taken')
      return {
        outcome: 'wrong',
        problems: [{ field: 'paddle', rule: 'duplicate', message: 'paddle belongs to another guest' }],
      };
    // An empty cell changes nothing.
    const values = Object.fromEntries(
      IMPORTED_FIELDS.flatMap((field) =>
        guest[field] === undefined || guest[field] === null ? [] : [[field, guest[field]]],
      ),
    ) as Partial<GuestValues>;
    if (!known) return { outcome: 'created', id, key, values, lastName, paddle };
    const changed = IMPORTED_FIELDS.filter((field) => field in values && values[field] !== known[field]);
    if (changed.length === 0 && paddle === undefined) return { outcome: 'same' };
    return {
      outcome: 'changed',
      id,
      values: picked(values, changed),
      before: picked(known, changed),
      lastName,
      paddle,
    };
  }

  /**
   * Returns how the guest gets the paddle of the row; undefined if the paddle does not change. Guests of one
   * party or one table can share a paddle.
   */
  private paddleFor(
    id: string,
    known: KnownGuest | undefined,
    { paddle, party = null, table = null }: CreateGuest,
  ): PaddleOfRow | 'taken' | undefined {
    if (!paddle) return undefined;
    const isKept = known?.paddle === paddle && !this.released.has(known.sharesPaddleWith ?? known.id);
    if (isKept) return undefined;
    const holder = this.holders.get(paddle);
    if (holder === undefined || holder.id === id) {
      this.holders.set(paddle, { id, party, table });
      return { paddle };
    }
    const together = (party !== null && party === holder.party) || (table !== null && table === holder.table);
    return together ? { sharesPaddleWith: holder.id } : 'taken';
  }
}

const picked = (values: Partial<GuestValues>, fields: readonly ImportedField[]): Partial<GuestValues> =>
  Object.fromEntries(fields.map((field) => [field, values[field] ?? null]));
