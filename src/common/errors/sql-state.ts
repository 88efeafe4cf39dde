import { types } from 'node:util';

const DEPTH = 5;
// One digit at least, and not a code of Prisma's own: EPIPE and P2002 are none.
const SQL_STATE = /^(?!P\d{4}$)(?=.*\d)[0-9A-Z]{5}$/;

/** PostgreSQL's code for what went wrong, also where Prisma wrapped it; undefined when it did not come from there. */
export function sqlStateOf(error: unknown): string | undefined {
  for (const { code, originalCode } of causesOf(error))
    for (const found of [originalCode, code])
      if (typeof found === 'string' && SQL_STATE.test(found)) return found;
  return undefined;
}

/** What of an error is read here; Prisma keeps PostgreSQL's code in a plain object. */
interface ErrorLike {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
}

/** An error and what caused it, outermost first. */
export function causesOf(error: unknown): ErrorLike[] {
  const found: ErrorLike[] = [];
  let current: unknown = error;
  while (isObject(current) && found.length < DEPTH) {
    found.push(current);
    const { cause, meta } = current as { cause?: unknown; meta?: { driverAdapterError?: unknown } };
    current = cause ?? meta?.driverAdapterError;
  }
  return found;
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || types.isNativeError(value);
