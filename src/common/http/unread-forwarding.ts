import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

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
