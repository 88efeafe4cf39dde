import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, registerDecorator, ValidateIf, type ValidationArguments } from 'class-validator';
import { isCurrency, MAX_OFFLINE_AMOUNT } from '../money.js';
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

/** An integer in minor units, `min` to `max`, sent as a JSON number. */
export const MinorUnits = ({
  min = 1,
  max = MAX_OFFLINE_AMOUNT,
  ...docs
}: ApiPropertyOptions & { min?: number; max?: number } = {}) =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      format: 'int64',
      minimum: min,
      maximum: max,
      example: 2500,
      description: "Integer in the currency's minor unit (cents)",
      ...docs,
    }),
    Check((value) => {
      if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be an integer in minor units';
      if (value < min) return `must be at least ${min}`;
      if (value > max) return `must be at most ${max}`;
      return undefined;
    }),
  );

/** An ISO 4217 code; any case comes in, lower case goes on. */
export const Currency = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.trim().toLowerCase() : value,
    ),
    Check((value) =>
      typeof value === 'string' && isCurrency(value) ? undefined : 'must be an ISO 4217 currency code',
    ),
  );

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** The moment an ISO 8601 text names (a bare date is midnight UTC), or undefined. Years 1970 to 9999. */
export function parseInstant(text: string): Date | undefined {
  if (!DATE.test(text)) return undefined;
  const zoned = text.length > 10 && !/(Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  if (Number.isNaN(time.getTime()) || time.getTime() < 0 || time.getUTCFullYear() > 9999) return undefined;
  // JavaScript rolls 31 February over to March: such a day does not exist.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10)
    ? undefined
    : time;
}

/** An ISO 8601 timestamp or date. */
export const Instant = () =>
  Check((value) =>
    typeof value === 'string' && parseInstant(value) ? undefined : 'must be an ISO 8601 timestamp',
  );

/** `true` or `false` as JSON has them; `"false"` is not false. */
export const Flag = () => Check((value) => (typeof value === 'boolean' ? undefined : 'must be a boolean'));

/** One of the listed words. */
export const OneOf = (words: readonly string[]) =>
  Check((value) =>
    typeof value === 'string' && words.includes(value) ? undefined : `must be one of ${words.join(', ')}`,
  );

/** A query parameter with one or several of the listed words, separated by commas; a list comes out. */
export const SomeOf = (words: readonly string[]) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      // A parameter that was sent twice is a list already, and refused.
      typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : null,
    ),
    Check((value) =>
      Array.isArray(value) && value.every((word) => words.includes(word as string))
        ? undefined
        : `must be one or several of ${words.join(', ')}`,
    ),
  );

/** A query parameter that is `true` or `false`. */
export const QueryFlag = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    Check((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
  );

/** A query parameter with a whole number, such as `?limit=50`. */
export const QueryInteger = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    Check((value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? undefined
        : `must be an integer from ${min} to ${max}`,
    ),
  );
