import { isIP, isIPv4 } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/**
 * The addresses of an `X-Forwarded-For` header without the ports that some proxies add: Azure's gateways and others write
 * `203.0.113.7:56789` and `[2001:db8::7]:56789`. Entries that are no address stay as they are.
 */
export function withoutPorts(header: string): string {
  // Addresses of IPv4 alone are by far the most frequent.
  return header.includes(':') ? header.split(',').map(addressOf).join(', ') : header;
}

function addressOf(entry: string): string {
  const text = entry.trim();
  if (isIP(text) !== 0) return text;
  const inBrackets = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  if (inBrackets !== undefined) return isIP(inBrackets) === 0 ? text : inBrackets;
  // Only what has dots: the last group of an IPv6 address looks like a port.
  const beforePort = /^([^,]*\.\d{1,3}):\d{1,5}$/.exec(text)?.[1] ?? '';
  return isIP(beforePort) !== 0 ? beforePort : text;
}

/** An address of IPv4 as such, also where the socket is one of IPv6 that takes both. */
export const plainAddress = (address: string | undefined): string | undefined =>
  address?.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;

/** Warns once in the life of an application that proxies name clients by something else than their address. */
export class UnreadableForwarding {
  private isSaid = false;

  warn(proxy: string | undefined): void {
    if (this.isSaid) return;
    this.isSaid = true;
    new Logger('TRUST_PROXY').warn(
      `X-Forwarded-For holds no address where the client's belongs, in requests through ${proxy ?? 'a proxy'}: ` +
        'all clients of that proxy share one limit. Have the proxy write addresses, and check TRUST_PROXY.',
    );
  }
}

/**
 * Says once when requests come through a proxy that `TRUST_PROXY` does not name: all its clients then count as one,
 * and a whole hall shares one limit.
 */
export function warnOfUnreadForwarding(): (request: Request, response: Response, next: NextFunction) => void {
  let said = false;
  return ({ headers, socket }, _response, next) => {
    if (!said && (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'])) {
      said = true;
      new Logger('TRUST_PROXY').warn(
        `TRUST_PROXY is off, but requests come through a proxy at ${socket.remoteAddress ?? 'an unknown address'}: ` +
          'all its clients share one limit. Set TRUST_PROXY to the number of proxies, or to their networks.',
      );
    }
    next();
  };
}
