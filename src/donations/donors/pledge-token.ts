import { isId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';

const ID_BYTES = 16;
const TIME_BYTES = 4;
const MAC_BYTES = 16;
const FORM = /^[\w-]{48}$/;

/** What the address of a pledge's payment page carries: its id, until when it is good, and a keyed digest of both. */
export function pledgeTokenOf(keys: KeyRing, pledgeId: string, expiresAt: Date): string {
  const body = Buffer.alloc(ID_BYTES + TIME_BYTES);
  body.write(pledgeId.replaceAll('-', ''), 'hex');
  body.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000), ID_BYTES);
  const mac = keys.digest('pledge-token', body.toString('hex')).subarray(0, MAC_BYTES);
  return Buffer.concat([body, mac]).toString('base64url');
}

/** The pledge of a token; undefined for every text that is no such token, or one that is too old. */
export function pledgeOfToken(keys: KeyRing, token: unknown): string | undefined {
  if (typeof token !== 'string' || !FORM.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, ID_BYTES + TIME_BYTES);
  const mac = bytes.subarray(ID_BYTES + TIME_BYTES);
  if (!keys.isDigest('pledge-token', body.toString('hex'), mac)) return undefined;
  if (body.readUInt32BE(ID_BYTES) * 1_000 < Date.now()) return undefined;
  const id = body.toString('hex', 0, ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isId(id) ? id : undefined;
}
