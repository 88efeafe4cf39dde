import { type KeyObject, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Maximum length of a certificate chain. A real chain has two or three certificates. */
const MAX_CERTIFICATES = 8;
const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

export interface VerifiedKey {
  readonly publicKey: KeyObject;
  /** Time when the chain becomes invalid, in epoch milliseconds. */
  readonly validUntil: number;
}

/** A certificate is not trusted. The message is the reason. */
export class CertificateError extends Error {}

let roots: readonly X509Certificate[] | undefined;

/** The certificate authorities of Node.js, parsed once. */
export function systemRoots(): readonly X509Certificate[] {
  roots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return roots;
}

/** @throws CertificateError if the text contains no certificate, too many, or a broken one */
export function parsePem(pem: string): X509Certificate[] {
  const blocks = pem.match(PEM_BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length > MAX_CERTIFICATES)
    throw new CertificateError('no certificate chain');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw new CertificateError('broken certificate');
  }
}

/**
 * Verifies the chain of a certificate that signs webhook events. Checks the name of the signer, each signature up to
 * a trust anchor, and that each certificate is valid now.
 * @param chain the signer first, then its issuers in any order
 * @param names the signer must have one of these names
 * @throws CertificateError
 */
export function verifyChain(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  names: readonly string[],
  now: number,
): VerifiedKey {
  const [signer, ...issuers] = chain;
  if (!signer) throw new CertificateError('no certificate chain');
  if (signer.ca) throw new CertificateError('the signer is an authority');
  const named = names.some((name) => signer.checkHost(name, { wildcards: false }) !== undefined);
  if (!named) throw new CertificateError('the signer has another name');
  const { publicKey } = signer;
  if (publicKey.asymmetricKeyType !== 'rsa' || (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new CertificateError('the signer has no strong RSA key');
  if (!isCurrent(signer, now)) throw new CertificateError('the signer is not valid now');
  const validUntil = climb(signer, issuers, anchors, now);
  if (validUntil === undefined) throw new CertificateError('no chain to a trusted authority');
  return { publicKey, validUntil };
}

/** Returns the earliest end of validity on the path to a trust anchor; undefined if there is no path. */
function climb(
  certificate: X509Certificate,
  issuers: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: number,
): number | undefined {
  const end = Date.parse(certificate.validTo);
  const anchor = anchors.find((candidate) => isCurrent(candidate, now) && issued(candidate, certificate));
  if (anchor) return Math.min(end, Date.parse(anchor.validTo));
  for (const issuer of issuers) {
    if (!isCurrent(issuer, now) || !issued(issuer, certificate)) continue;
    const rest = issuers.filter((other) => other !== issuer);
    const above = climb(issuer, rest, anchors, now);
    if (above !== undefined) return Math.min(end, above);
  }
  return undefined;
}

function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isCurrent(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
}
