/** An error answer of the server; `message` is the server's text. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
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

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
