import type { Entry } from './amounts.js';

/** An amount as people type it into a field, with comma or point, as an entry; undefined when it is none. */
export function parseAmount(text: string, exponent: number): Entry | undefined {
  const plain = text
    .trim()
    .replace(/[\s\u00a0']/g, '')
    .replace(',', '.');
  const match = /^(\d{1,13})(?:\.(\d*))?$/.exec(plain);
  if (!match || (match[2] ?? '').length > exponent) return undefined;
  return plain;
}
