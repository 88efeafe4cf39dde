import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Answers are data: a browser that displays one runs and loads nothing. */
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

/** Sets the headers on an answer. The answer may replace them: a page has its own content policy. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
}

export function securityHeaders(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  setSecurityHeaders(response);
  next();
}
