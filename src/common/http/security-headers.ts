import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Headers for answers that contain data: a browser that displays such an answer runs no script and loads nothing. */
const ofHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** Helmet sets the same headers on every answer, so they are computed once. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = asked();

function asked(): [string, string][] {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  ofHelmet({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}

/** Sets the security headers on a response. A page replaces the content policy with its own policy. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
}

export function securityHeaders(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  setSecurityHeaders(response);
  next();
}
