import { debugId } from '../common/ids.js';

const MESSAGES = {
  INVALID_REQUEST: 'Request is not well-formed, syntactically incorrect, or violates schema.',
  AUTHENTICATION_FAILURE:
    'Authentication failed due to missing authorization header, or invalid authentication credentials.',
  NOT_AUTHORIZED: 'Authorization failed due to insufficient permissions.',
  RESOURCE_NOT_FOUND: 'The specified resource does not exist.',
  RESOURCE_CONFLICT: 'The server has detected a conflict while processing this request.',
  UNPROCESSABLE_ENTITY:
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  RATE_LIMIT_REACHED: 'Too many requests. Blocked due to rate limiting.',
  INTERNAL_SERVER_ERROR: 'An internal server error occurred.',
} as const;

export type PayPalErrorName = keyof typeof MESSAGES;

export interface ErrorDetail {
  issue: string;
  description: string;
  /** JSON pointer of the invalid field. */
  field?: string;
  value?: string;
  location?: 'body' | 'path' | 'query' | 'header';
}

export class PayPalError extends Error {
  /** The first issue, such as `ORDER_NOT_APPROVED`. */
  readonly code: string;

  constructor(
    readonly status: number,
    readonly errorName: PayPalErrorName,
    readonly details: ErrorDetail[] = [],
  ) {
    super(details[0]?.description ?? MESSAGES[errorName]);
    this.code = details[0]?.issue ?? errorName;
  }
}

export function errorBody(name: PayPalErrorName, details: ErrorDetail[] = []) {
  const issue = details[0]?.issue ?? '';
  return {
    name,
    ...(details.length > 0 && { details }),
    message: MESSAGES[name],
    debug_id: debugId(),
    links: [
      {
        href: `https://developer.paypal.com/api/rest/reference/orders/v2/errors/#${issue}`,
        rel: 'information_link',
        method: 'GET',
      },
    ],
  };
}

export const PERMISSION_DENIED: ErrorDetail = {
  issue: 'PERMISSION_DENIED',
  description: 'You do not have permission to access or perform operations on this resource.',
};

/** Error 422: the request has a valid form, but the current state or a business rule does not allow it. */
export function unprocessable(issue: string, description: string, field?: string): PayPalError {
  const where = field === undefined ? {} : { field, location: 'body' as const };
  return new PayPalError(422, 'UNPROCESSABLE_ENTITY', [{ issue, description, ...where }]);
}

/** Error 400: a field is missing or has an invalid form. */
export function invalid(issue: string, description: string, field: string, value?: string): PayPalError {
  const detail = {
    field,
    location: 'body' as const,
    issue,
    description,
    ...(value !== undefined && { value }),
  };
  return new PayPalError(400, 'INVALID_REQUEST', [detail]);
}

export function notFound(): PayPalError {
  const description = 'Specified resource ID does not exist. Please check the resource ID and try again.';
  return new PayPalError(404, 'RESOURCE_NOT_FOUND', [{ issue: 'INVALID_RESOURCE_ID', description }]);
}
