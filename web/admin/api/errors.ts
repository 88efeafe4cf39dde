import type { EditConflictField } from '../../../src/common/errors/error-body.js';

/** An error answer of the server; `message` is the server's text. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
    /** The fields of an edit conflict. */
    readonly conflicts: readonly EditConflictField[] = [],
  ) {
    super(message);
  }
}

/** No answer came. The request may have reached the server. */
export class OfflineError extends Error {}

/** The session has ended. */
export class SignedOutError extends Error {}

/** The release of this server does not have the route. */
export const isMissingRoute = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code === 'ROUTE_NOT_FOUND';

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** The fields that somebody else changed since they were read; empty for any other error. */
export const conflictsOf = (error: unknown): readonly EditConflictField[] =>
  error instanceof ApiError && error.code === 'EDIT_CONFLICT' ? error.conflicts : [];

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
