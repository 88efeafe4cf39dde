import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';

/** One person, as the statements want it: the digests, and the donations that have none. */
export interface PersonRef {
  readonly key: string;
  readonly donorKey: Buffer | undefined;
  readonly values: readonly [keys: Buffer[], ids: string[]];
}

/**
 * The person behind a key of the API: the digest of the e-mail address, 64 hexadecimal digits, or the id of a
 * donation that has no address.
 * @throws NotFoundError for what cannot be one
 */
export function personRef(key: string): PersonRef {
  if (/^[0-9a-f]{64}$/.test(key)) {
    const donorKey = Buffer.from(key, 'hex');
    return { key, donorKey, values: [[donorKey], []] };
  }
  if (isId(key)) return { key: key.toLowerCase(), donorKey: undefined, values: [[], [key]] };
  throw noSuchDonor();
}

export const noSuchDonor = () => new NotFoundError('DONOR_NOT_FOUND', 'No such donor');
