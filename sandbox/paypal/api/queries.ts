import type { PayPalAccount } from '../account.js';
import { PayPalError } from '../errors.js';
import { link } from '../objects.js';

const SYNTAX = 'The value of a field does not conform to the expected format.';

/** Reads a time from the query, in milliseconds. Returns `otherwise` if the parameter is absent. */
export function instant(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const time = Date.parse(text);
  if (Number.isNaN(time) || !/T/i.test(text))
    throw invalidQuery('INVALID_PARAMETER_SYNTAX', SYNTAX, name, text);
  return time;
}

export function wholeNumber(
  query: URLSearchParams,
  name: string,
  bounds: { otherwise: number; from: number; to: number },
): number {
  const text = query.get(name);
  if (text === null) return bounds.otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < bounds.from || number > bounds.to) {
    throw invalidQuery('INVALID_PARAMETER_VALUE', 'A parameter value is not valid.', name, text);
  }
  return number;
}

export function invalidQuery(issue: string, description: string, field: string, value = ''): PayPalError {
  const detail = { field, location: 'query' as const, issue, description, ...(value && { value }) };
  return new PayPalError(400, 'INVALID_REQUEST', [detail]);
}

/** Returns the links of a list: to the current page and to the next page. */
export function pageLinks(
  account: PayPalAccount,
  path: string,
  query: URLSearchParams,
  next?: Record<string, string>,
) {
  const self = `${account.baseUrl}${path}`;
  const address = (parameters: URLSearchParams) =>
    parameters.size === 0 ? self : `${self}?${parameters.toString()}`;
  const links = [link(address(query), 'self')];
  if (next) {
    const following = new URLSearchParams(query);
    for (const [name, value] of Object.entries(next)) following.set(name, value);
    links.push(link(address(following), 'next'));
  }
  return links;
}
