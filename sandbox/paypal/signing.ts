import { createVerify, sign, X509Certificate } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Signer } from './certificates.js';

/** Header values of PayPal's signature. */
export interface Transmission {
  id: string;
  time: string;
  sig: string;
  certUrl: string;
  algo: string;
}

function signedText(id: string, time: string, webhookId: string, body: string): string {
  return `${id}|${time}|${webhookId}|${String(crc32(Buffer.from(body)))}`;
}

export function signTransmission(
  body: string,
  webhookId: string,
  signer: Signer,
  baseUrl: string,
): Transmission {
  const id = randomUUID();
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const sig = sign('sha256', Buffer.from(signedText(id, time, webhookId, body)), signer.privateKey);
  return {
    id,
    time,
    sig: sig.toString('base64'),
    certUrl: `${baseUrl}/v1/notifications/certs/${signer.id}`,
    algo: 'SHA256withRSA',
  };
}

export function transmissionHeaders(transmission: Transmission): Record<string, string> {
  return {
    'paypal-transmission-id': transmission.id,
    'paypal-transmission-time': transmission.time,
    'paypal-transmission-sig': transmission.sig,
    'paypal-cert-url': transmission.certUrl,
    'paypal-auth-algo': transmission.algo,
    'paypal-auth-version': 'v2',
    'user-agent': 'PayPal/AUHD-1.0-1',
  };
}

/** Checks a signature, as `verify-webhook-signature` does. */
export function verifyTransmission(
  transmission: Transmission,
  webhookId: string,
  body: string,
  pem: string,
): boolean {
  if (transmission.algo !== 'SHA256withRSA') return false;
  const text = signedText(transmission.id, transmission.time, webhookId, body);
  const { publicKey } = new X509Certificate(pem);
  return createVerify('sha256').update(text).verify(publicKey, transmission.sig, 'base64');
}
