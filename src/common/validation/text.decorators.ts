import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsOptional, registerDecorator, ValidateIf, type ValidationArguments } from 'class-validator';
import { textProblem, tidyText } from '../text.js';

interface TextRule {
  max: number;
  min?: number;
  multiline?: boolean;
}

/** A property check that yields the end of a sentence about the property, or undefined. */
export function Check(problem: (value: unknown, object: object) => string | undefined): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown, args?: ValidationArguments) =>
          problem(value, args?.object ?? {}) === undefined,
        defaultMessage: (args?: ValidationArguments) =>
          `${args?.property ?? 'value'} ${problem(args?.value, args?.object ?? {}) ?? 'is not valid'}`,
      },
    });
  };
}

const tidy = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? tidyText(value) : value));

/** Text that must be there: NFC, trimmed, no control characters, at most `max` characters. */
export const Text = (rule: TextRule): PropertyDecorator =>
  applyDecorators(
    tidy(),
    Check((value) => {
      if (typeof value !== 'string') return 'must be a string';
      if (value.length < (rule.min ?? 1))
        return rule.min ? `must be at least ${rule.min} characters` : 'must not be empty';
      return textProblem(value, rule);
    }),
  );

/**
 * Text that may be absent: `undefined` stays (leave as it is), blank and null become null (absent).
 */
export const OptionalText = (rule: TextRule): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      if (typeof value !== 'string') return value;
      return tidyText(value) || null;
    }),
    IsOptional(),
    Check((value) => (typeof value === 'string' ? textProblem(value, rule) : 'must be a string')),
  );

const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\".]+(\.[^\s@<>()[\],;:\\".]+)+$/;

export const emailProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 254 && EMAIL.test(value) && !textProblem(value, { max: 254 })
    ? undefined
    : 'must be an e-mail address';

/** An e-mail address that may be absent, as `OptionalText`. Kept as written; compared case-folded. */
export const OptionalEmail = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? tidyText(value) || null : value,
    ),
    IsOptional(),
    Check(emailProblem),
  );

/** Checks of the property run only when it was sent; null counts as sent. */
export const WhenSent = () => ValidateIf((_, value) => value !== undefined);
