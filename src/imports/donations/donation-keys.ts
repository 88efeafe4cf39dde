import type { KeyRing } from '../../common/crypto/key-ring.js';
import type { DonationItem, ReadDonation } from './donation-row.js';

/** A row of the file with its key. A wrong row has no key. */
export interface KeyedDonation {
  readonly number: number;
  readonly read: ReadDonation;
  /** Hexadecimal digits. */
  readonly key: string | undefined;
}

/**
 * Computes the key of each row: a keyed digest of the row's own id, or of its values and the number of equal rows before. So the
 * same list imported twice adds nothing, and two equal donations of one evening are two donations. A digest without a key would keep the
 * address of an erased donor guessable.
 */
export class DonationKeys {
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly keys: KeyRing,
    private readonly kind: string,
  ) {}

  of(number: number, read: ReadDonation): KeyedDonation {
    if ('problems' in read) return { number, read, key: undefined };
    const { ownId } = read.item;
    const like = ownId === null ? likeness(read.item) : `id ${ownId}`;
    const occurrence = (this.counts.get(like) ?? 0) + 1;
    this.counts.set(like, occurrence);
    if (ownId !== null && occurrence > 1) {
      const problem = { field: 'id', rule: 'duplicate', message: 'id is in the file twice' } as const;
      return { number, read: { problems: [problem] }, key: undefined };
    }
    const key = this.keys.donorDigest(`import ${this.kind} ${like} ${occurrence}`).toString('hex');
    return { number, read, key };
  }
}

const likeness = ({ amount, day, type, name, email, paddle, reference }: DonationItem): string =>
  JSON.stringify([
    day,
    amount.toString(),
    email?.toLowerCase() ?? name?.toLowerCase() ?? paddle,
    type,
    reference,
  ]);
