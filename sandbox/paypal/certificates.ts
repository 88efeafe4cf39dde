import { createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { bits, boolean, integer, objectId, octets, sequence, setOf, tagged, utcTime, utf8 } from './der.js';

const generate = promisify(generateKeyPair);

export const SIGNER_NAME = 'messageverificationcerts.sandbox.paypal.com';

/** Kinds of signing certificates; a receiver must refuse all except `good`. */
export const CERTIFICATE_KINDS = ['good', 'expired', 'wrong-name', 'untrusted'] as const;
export type CertificateKind = (typeof CERTIFICATE_KINDS)[number];

export interface Signer {
  /** The last part of the certificate's address. */
  id: string;
  privateKey: KeyObject;
  /** The certificate chain: first the signer's certificate, then the authority's. */
  chainPem: string;
}

export interface SigningMaterial {
  caPem: string;
  signers: Record<CertificateKind, Signer>;
}

interface KeyPair {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

interface Authority {
  name: string;
  keys: KeyPair;
  pem: string;
}

const DAY = 24 * 3600 * 1000;
const SHA256_WITH_ECDSA = () => sequence(objectId('1.2.840.10045.4.3.2'));

let made: Promise<SigningMaterial> | undefined;

/**
 * Returns a certificate authority and its webhook signers, created once per process. Node.js can read X.509
 * certificates but cannot create them, so `der.ts` creates them.
 */
export function signingMaterial(): Promise<SigningMaterial> {
  made ??= makeMaterial();
  return made;
}

async function makeMaterial(): Promise<SigningMaterial> {
  const [ca, other, leaf] = await Promise.all([authorityKeys(), authorityKeys(), signerKeys()]);
  const trusted = authority('Payment Sandbox Root CA', ca);
  const unknown = authority('Payment Sandbox Unknown CA', other);
  return {
    caPem: trusted.pem,
    signers: {
      good: signer(trusted, leaf, SIGNER_NAME, DAY, 365 * DAY),
      expired: signer(trusted, leaf, SIGNER_NAME, 400 * DAY, -35 * DAY),
      'wrong-name': signer(trusted, leaf, 'messageverificationcerts.example.com', DAY, 365 * DAY),
      untrusted: signer(unknown, leaf, SIGNER_NAME, DAY, 365 * DAY),
    },
  };
}

/**
 * Creates an RSA key, because PayPal signs with RSA. This needs 0.1 to 1 s, and up to 30 times longer on a busy
 * machine.
 */
function signerKeys(): Promise<KeyPair> {
  return generate('rsa', { modulusLength: 2048 });
}

/** Creates a key that is not RSA, because two more RSA keys would make the start of the sandbox three times slower. */
function authorityKeys(): Promise<KeyPair> {
  return generate('ec', { namedCurve: 'P-256' });
}

function authority(name: string, keys: KeyPair): Authority {
  const der = certificate({
    subject: name,
    issuer: name,
    keys,
    signWith: keys,
    from: DAY,
    to: 3650 * DAY,
    ca: true,
  });
  return { name, keys, pem: pem(der) };
}

function signer(issuer: Authority, keys: KeyPair, name: string, from: number, to: number): Signer {
  const der = certificate({
    subject: name,
    issuer: issuer.name,
    keys,
    signWith: issuer.keys,
    from,
    to,
    ca: false,
  });
  const id = createHash('sha256').update(der).digest('hex').slice(0, 16);
  return {
    id: `CERT-${id.slice(0, 8)}-${id.slice(8)}`,
    privateKey: keys.privateKey,
    chainPem: pem(der) + issuer.pem,
  };
}

interface CertificateRequest {
  subject: string;
  issuer: string;
  keys: KeyPair;
  signWith: KeyPair;
  /** Start of validity, in milliseconds before now. */
  from: number;
  /** End of validity, in milliseconds after now. */
  to: number;
  ca: boolean;
}

function certificate({ subject, issuer, keys, signWith, from, to, ca }: CertificateRequest): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const now = Date.now();
  const contents = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    SHA256_WITH_ECDSA(),
    distinguishedName(issuer),
    sequence(utcTime(new Date(now - from)), utcTime(new Date(now + to))),
    distinguishedName(subject),
    publicKeyInfo(keys),
    tagged(0xa3, sequence(...extensions(subject, keys, signWith, ca))),
  );
  const signature = sign('sha256', contents, signWith.privateKey);
  return sequence(contents, SHA256_WITH_ECDSA(), bits(signature));
}

function extensions(subject: string, keys: KeyPair, issuer: KeyPair, ca: boolean): Buffer[] {
  // Allowed uses of the key: keyCertSign and cRLSign for the authority; digitalSignature and keyEncipherment for the
  // signer.
  const usage = ca ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0xa0]), 5);
  const constraints = ca ? sequence(boolean(true)) : sequence();
  const list = [
    extension('2.5.29.19', true, constraints),
    extension('2.5.29.15', true, usage),
    extension('2.5.29.14', false, octets(keyIdentifier(keys))),
    extension('2.5.29.35', false, sequence(tagged(0x80, keyIdentifier(issuer)))),
  ];
  if (!ca) list.push(extension('2.5.29.17', false, sequence(tagged(0x82, Buffer.from(subject)))));
  return list;
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function distinguishedName(commonName: string): Buffer {
  const part = (id: string, text: string) => setOf(sequence(objectId(id), utf8(text)));
  return sequence(part('2.5.4.10', 'Payment Sandbox'), part('2.5.4.3', commonName));
}

function publicKeyInfo({ publicKey }: KeyPair): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(keys: KeyPair): Buffer {
  return createHash('sha1').update(publicKeyInfo(keys)).digest();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
