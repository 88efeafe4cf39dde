import { HttpException, HttpStatus } from '@nestjs/common';
import type { EditConflictField, ReceiptFinding, RefusedField } from './error-body.js';

/**
 * An error to which the caller can react. It has an HTTP status, a stable code for programs, and a sentence. The error filter
 * turns the error into `{ statusCode, message, error, code }`.
 */
export class DomainError extends HttpException {
  constructor(
    status: HttpStatus,
    readonly code: string,
    message: string,
    /** Seconds in the `Retry-After` header. */
    readonly retryAfter?: number,
    /** Further headers of the answer. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message, status);
    this.name = new.target.name;
  }
}

export class InvalidInputError extends DomainError {
  constructor(code: string, message: string) {
    super(HttpStatus.BAD_REQUEST, code, message);
  }
}

/** A refused field with the sentence about it. */
export interface FieldProblem extends RefusedField {
  /** A sentence that starts with the field, for programmers. */
  readonly message: string;
}

/** `VALIDATION_FAILED`: fields of a request break their rules. Names all of them. */
export class RefusedFieldsError extends InvalidInputError {
  readonly fields: readonly RefusedField[];

  constructor(problems: readonly FieldProblem[]) {
    super(
      'VALIDATION_FAILED',
      problems.map(({ message }) => message).join('; ') || 'The request is not valid',
    );
    this.fields = problems.map(({ message: _, ...field }) => field);
  }
}

export class UnauthorizedError extends DomainError {
  constructor(code = 'UNAUTHORIZED', message = 'Missing or invalid token') {
    super(HttpStatus.UNAUTHORIZED, code, message);
  }
}

export class ForbiddenError extends DomainError {
  constructor(code = 'FORBIDDEN', message = 'Insufficient permissions') {
    super(HttpStatus.FORBIDDEN, code, message);
  }
}

export class NotFoundError extends DomainError {
  constructor(code = 'NOT_FOUND', message = 'Not found') {
    super(HttpStatus.NOT_FOUND, code, message);
  }
}

/** The object existed, and the caller can discard what it has about it. */
export class GoneError extends DomainError {
  constructor(code: string, message: string) {
    super(HttpStatus.GONE, code, message);
  }
}

export class ConflictError extends DomainError {
  constructor(code: string, message: string) {
    super(HttpStatus.CONFLICT, code, message);
  }
}

/** Somebody else changed fields after the client read them. */
export class EditConflictError extends ConflictError {
  constructor(readonly details: readonly EditConflictField[]) {
    const fields = details.map(({ field }) => field).join(', ');
    super('EDIT_CONFLICT', `Changed by somebody else after you read it: ${fields}; read it again`);
  }
}

/** The tax office would not accept a receipt: fields are missing, wrong or outdated. */
export class ReceiptIncompleteError extends ConflictError {
  constructor(readonly findings: readonly ReceiptFinding[]) {
    const fields = findings.map(({ field }) => field).join(', ');
    super('RECEIPT_INCOMPLETE', `The tax office would not accept this receipt; complete: ${fields}`);
  }
}

export class TooManyRequestsError extends DomainError {
  constructor(
    retryAfter: number,
    code = 'RATE_LIMITED',
    message = 'Too many requests',
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(HttpStatus.TOO_MANY_REQUESTS, code, message, retryAfter, headers);
  }
}

/** A dependency is down; the caller may try again. */
export class UnavailableError extends DomainError {
  constructor(code: string, message: string, retryAfter = 5) {
    super(HttpStatus.SERVICE_UNAVAILABLE, code, message, retryAfter);
  }
}

/** True if the answer has a 5xx status: the caller made no mistake and may send the same request again. */
export const isServerError = (error: unknown): boolean =>
  !(error instanceof HttpException) || error.getStatus() >= 500;
