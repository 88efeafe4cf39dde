import { types } from 'node:util';

const DEPTH = 5;
// The code must contain at least one digit and must not be a code of Prisma. So EPIPE and P2002 do not match.
const SQL_STATE = /^(?!P\d{4}$)(?=.*\d)[0-9A-Z]{5}$/;

/** Returns PostgreSQL's error code, even if Prisma wrapped it; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  for (const { code, originalCode } of causesOf(error))
    for (const found of [originalCode, code])
      if (typeof found === 'string' && SQL_STATE.test(found)) return found;
  return undefined;
}

/** The fields of an error that this file reads. Prisma stores PostgreSQL's code in a plain object. */
interface ErrorLike {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
}

/** Returns an error and its causes. The error comes first, then its cause, then the cause of that cause. */
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
