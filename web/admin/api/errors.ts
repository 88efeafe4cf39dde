import type { EditConflictField } from '../../../src/common/errors/error-body.js';

/** An error answer of the server; `message` is a text for the person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Wait in seconds before the next attempt. */
    readonly retryAfter?: number,
    /** The fields of an edit conflict. */
    readonly conflicts: readonly EditConflictField[] = [],
    /** Texts for the refused fields, by the name of the field in the request. */
    readonly fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The page received no answer. The server may have received the request. */
export class OfflineError extends Error {}

/** The session has ended. */
export class SignedOutError extends Error {}

/** True if the server has no such route, because it runs an older release. */
export const isMissingRoute = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code === 'ROUTE_NOT_FOUND';

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** The fields of an edit conflict: somebody else changed them after this page had read them. Empty for other errors. */
export const conflictsOf = (error: unknown): readonly EditConflictField[] =>
  error instanceof ApiError && error.code === 'EDIT_CONFLICT' ? error.conflicts : [];

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
