import { applyDecorators } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { Check, WhenSent } from './field.decorators.js';

/*
 * The optional `expected` of a change: the values that the client read. It prevents a lost update: a field that
 * somebody else has changed since is not overwritten. Without `expected`, the last change wins.
 */

/** A field of a change whose stored value differs from the value that the client read. */
export interface UnexpectedValue {
  readonly field: string;
  /** The stored value; absent for a secret field. */
  readonly value?: unknown;
}

export type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the fields whose stored value differs from the expected value. A field that already has the new value is not a
 * conflict.
 * @param same compares two values of a field
 */
export const unexpectedValues = (
  expected: Values,
  change: Values,
  stored: Values,
  same: (one: unknown, other: unknown, field: string) => boolean = isDeepStrictEqual,
): UnexpectedValue[] =>
  Object.keys(expected)
    .filter((field) => expected[field] !== undefined)
    .filter(
      (field) =>
        !same(stored[field], expected[field], field) &&
        !(change[field] !== undefined && same(stored[field], change[field], field)),
    )
    .map((field) => ({ field, value: stored[field] }));

type FieldType = 'string' | 'integer' | 'boolean' | 'object';

const isOfType: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && !Array.isArray(value),
};

/** Returns the error in a value of `expected`, as the end of a sentence; undefined if the value is valid. */
function expectedProblem(value: unknown, fields: Readonly<Record<string, FieldType>>): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  for (const [field, one] of Object.entries(value)) {
    const type = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (type === undefined) return `has an unknown field: ${JSON.stringify(field.slice(0, 100))}`;
    if (one !== null && !isOfType[type](one)) return `has a wrong type: ${field} must be of type ${type}`;
  }
  return undefined;
}

export const EXPECTED_DESCRIPTION =
  'Optional precondition: the values of the changed fields as the client read them. If one of these fields has ' +
  'another value now, nothing changes and the answer is 409 `EDIT_CONFLICT`; its `details` name the field, the ' +
  'person and the time. Without `expected`, the last change wins';

/** The optional `expected` field of a body that changes these fields. */
export const Expected = (fields: Readonly<Record<string, FieldType>>): PropertyDecorator =>
  applyDecorators(
    WhenSent(),
    Check((value) => expectedProblem(value, fields), {
      type: 'object',
      selfRequired: false,
      description: EXPECTED_DESCRIPTION,
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(fields).map(([field, type]) => [
          field,
          type === 'object' ? { type, nullable: true, additionalProperties: true } : { type, nullable: true },
        ]),
      ),
    }),
  );
