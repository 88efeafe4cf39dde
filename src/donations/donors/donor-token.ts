import { isId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';

const ID_BYTES = 16;
const MAC_BYTES = 24;
const FORM = /^[\w-]{54}$/;

/**
 * What a donor gets with the intent, to ask about the own donation with: its id, and a keyed digest of it that
 * nobody can guess. The same for a donation as long as `PIN_SECRET` is, and kept nowhere.
 */
export function donorTokenOf(keys: KeyRing, donationId: string): string {
  const id = Buffer.from(donationId.replaceAll('-', ''), 'hex');
  const mac = keys.digest('donor-token', donationId).subarray(0, MAC_BYTES);
  return Buffer.concat([id, mac]).toString('base64url');
}

/** The id of the donation that a token was made for; undefined for every text that is no such token. */
export function donationOfToken(keys: KeyRing, token: unknown): string | undefined {
  if (typeof token !== 'string' || !FORM.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const donationId = bytes
    .toString('hex', 0, ID_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // The last letter has bits to spare: one donation has one token.
  if (bytes.toString('base64url') !== token || !isId(donationId)) return undefined;
  return keys.isDigest('donor-token', donationId, bytes.subarray(ID_BYTES)) ? donationId : undefined;
}
