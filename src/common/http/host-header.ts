import { InvalidInputError } from '../errors/domain-errors.js';

/** Whether a request names its host more than once: proxies and this service could each believe another one. */
export function repeatsHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** What such a request is answered. */
export const hostRepeated = (): InvalidInputError =>
  new InvalidInputError('HOST_REPEATED', 'The Host header is there more than once');
