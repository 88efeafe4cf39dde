import { isId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';

const ID_BYTES = 16;
const DONOR_MAC_BYTES = 24;
const DONOR_TOKEN = /^[\w-]{54}$/;

/**
 * Returns the token with which a donor can ask about their own donation. The token contains the donation id and a keyed digest
 * that is impossible to guess. The server does not store the token. The token stays the same until `PIN_SECRET` changes.
 */
export const donorTokenOf = (keys: KeyRing, donationId: string): string =>
  tokenOf(keys, 'donor-token', donationId);

/** The donation id in a donor token; undefined if the token is not valid. */
export const donationOfToken = (keys: KeyRing, token: unknown): string | undefined =>
  idOfToken(keys, 'donor-token', token);

/** Returns the token of the address with which a phone shows that it reaches the server. */
export const rehearsalTokenOf = (keys: KeyRing, eventId: string): string =>
  tokenOf(keys, 'rehearsal-token', eventId);

/** The rehearsal in such a token; undefined if the token is not valid. */
export const rehearsalOfToken = (keys: KeyRing, token: unknown): string | undefined =>
  idOfToken(keys, 'rehearsal-token', token);

type LastingPurpose = 'donor-token' | 'rehearsal-token';

function tokenOf(keys: KeyRing, purpose: LastingPurpose, ofId: string): string {
  const id = Buffer.from(ofId.replaceAll('-', ''), 'hex');
  const mac = keys.digest(purpose, ofId).subarray(0, DONOR_MAC_BYTES);
  return Buffer.concat([id, mac]).toString('base64url');
}

function idOfToken(keys: KeyRing, purpose: LastingPurpose, token: unknown): string | undefined {
  if (typeof token !== 'string' || !DONOR_TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const id = idOf(bytes);
  // The last base64url letter has unused bits, so several texts encode the same bytes. Only one of these texts is accepted.
  if (bytes.toString('base64url') !== token || !isId(id)) return undefined;
  return keys.isDigest(purpose, id, bytes.subarray(ID_BYTES)) ? id : undefined;
}

const TIME_BYTES = 4;
const PLEDGE_MAC_BYTES = 16;
const PLEDGE_TOKEN = /^[\w-]{48}$/;

/**
 * Returns the token for the address of a pledge's payment page. The token contains the pledge id, the expiry time and a keyed
 * digest of both.
 */
export const pledgeTokenOf = (keys: KeyRing, pledgeId: string, expiresAt: Date): string =>
  timedTokenOf(keys, 'pledge-token', pledgeId, expiresAt);

/** The pledge id in a token; undefined if the token is not valid or has expired. */
export function pledgeOfToken(keys: KeyRing, token: unknown): string | undefined {
  const read = readTimedToken(keys, 'pledge-token', token);
  return read && !read.isExpired ? read.pledgeId : undefined;
}

/** Returns the token of the links in an e-mail about a pledge. The donor can withdraw the pledge and end the e-mails with it. */
export const pledgeEmailTokenOf = (keys: KeyRing, pledgeId: string, expiresAt: Date): string =>
  timedTokenOf(keys, 'pledge-email-token', pledgeId, expiresAt);

/** Reads the token of an e-mail; undefined if the token is not valid. */
export const readPledgeEmailToken = (keys: KeyRing, token: unknown): TimedToken | undefined =>
  readTimedToken(keys, 'pledge-email-token', token);

/**
 * Returns the token of the page on which a guest saves a card. It is the same until the end of the cards of the event changes, so
 * every print and every phone shows the same code.
 */
export const guestTokenOf = (keys: KeyRing, guestId: string, expiresAt: Date): string =>
  timedTokenOf(keys, 'guest-token', guestId, expiresAt);

/** The guest id in a token; undefined if the token is not valid or has expired. */
export function guestOfToken(keys: KeyRing, token: unknown): string | undefined {
  const read = readTimedToken(keys, 'guest-token', token);
  return read && !read.isExpired ? read.pledgeId : undefined;
}

export interface TimedToken {
  readonly pledgeId: string;
  readonly isExpired: boolean;
}

type TimedPurpose = 'pledge-token' | 'pledge-email-token' | 'guest-token';

function timedTokenOf(keys: KeyRing, purpose: TimedPurpose, pledgeId: string, expiresAt: Date): string {
  const body = Buffer.alloc(ID_BYTES + TIME_BYTES);
  body.write(pledgeId.replaceAll('-', ''), 'hex');
  body.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000), ID_BYTES);
  const mac = keys.digest(purpose, body.toString('hex')).subarray(0, PLEDGE_MAC_BYTES);
  return Buffer.concat([body, mac]).toString('base64url');
}

function readTimedToken(keys: KeyRing, purpose: TimedPurpose, token: unknown): TimedToken | undefined {
  if (typeof token !== 'string' || !PLEDGE_TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, ID_BYTES + TIME_BYTES);
  const mac = bytes.subarray(ID_BYTES + TIME_BYTES);
  if (!keys.isDigest(purpose, body.toString('hex'), mac)) return undefined;
  const pledgeId = idOf(body);
  if (!isId(pledgeId)) return undefined;
  return { pledgeId, isExpired: body.readUInt32BE(ID_BYTES) * 1_000 < Date.now() };
}

const DIGEST_BYTES = 32;
const TRIBUTE_TOKEN = /^[\w-]{96}$/;

/** The notified person of a tribute: the donation, and the keyed digest of the person's e-mail address. */
export interface NotifiedPerson {
  readonly donationId: string;
  readonly addressKey: Buffer;
}

/**
 * Returns the token of the link that ends the e-mails to a notified person. It holds the digest of the address, so that it works
 * after the erasure of the donor too.
 */
export function tributeTokenOf(keys: KeyRing, { donationId, addressKey }: NotifiedPerson): string {
  const body = Buffer.concat([Buffer.from(donationId.replaceAll('-', ''), 'hex'), addressKey]);
  const mac = keys.digest('tribute-token', body.toString('hex')).subarray(0, DONOR_MAC_BYTES);
  return Buffer.concat([body, mac]).toString('base64url');
}

/** Reads the token of such a link; undefined if it is not valid. */
export function notifiedPersonOf(keys: KeyRing, token: unknown): NotifiedPerson | undefined {
  if (typeof token !== 'string' || !TRIBUTE_TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, ID_BYTES + DIGEST_BYTES);
  if (!keys.isDigest('tribute-token', body.toString('hex'), bytes.subarray(ID_BYTES + DIGEST_BYTES)))
    return undefined;
  const donationId = idOf(body);
  return isId(donationId) ? { donationId, addressKey: Buffer.from(body.subarray(ID_BYTES)) } : undefined;
}

/** The id at the start of a token. */
const idOf = (bytes: Buffer): string =>
  bytes.toString('hex', 0, ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
