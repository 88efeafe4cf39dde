/** What the service answered with an error; `message` is in the service's words. */
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

/** No answer came. Whether the request arrived is not known. */
export class OfflineError extends Error {}

/** Nobody is signed in any more. */
export class SignedOutError extends Error {}

/** This server's release has no such route. */
export const isMissingRoute = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code === 'ROUTE_NOT_FOUND';

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
