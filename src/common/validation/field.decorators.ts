import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, registerDecorator, ValidateIf, type ValidationArguments } from 'class-validator';
import { emailProblem, tidyEmail } from '../text/email-address.js';
import { isId } from '../crypto/ids.js';
import { CURRENCIES_IN_USE, isCurrency, MAX_OFFLINE_AMOUNT } from '../money/money.js';
import { textPattern, textProblem, tidyText } from '../text/text.js';

interface TextRule {
  max: number;
  multiline?: boolean;
}

/**
 * Adds a check to a property. The check returns the problem of the property as the end of a sentence, or undefined.
 * @param constraint the same check in JSON schema; the API description uses it, so the two always agree
 */
export function Check(
  problem: (value: unknown, object: object) => string | undefined,
  constraint: ApiPropertyOptions,
): PropertyDecorator {
  const describe = ApiProperty(constraint);
  return (target, property) => {
    describe(target, property);
    registerDecorator({
      target: target.constructor,
      propertyName: String(property),
      options: { context: constraint },
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

/** Required text: NFC, trimmed, no control characters, at most `max` characters. */
export const Text = (rule: TextRule): PropertyDecorator =>
  applyDecorators(
    tidy(),
    Check(
      (value) => {
        if (typeof value !== 'string') return 'must be a string';
        return value === '' ? 'must not be empty' : textProblem(value, rule);
      },
      { type: 'string', minLength: 1, maxLength: rule.max, pattern: textPattern({ ...rule, blank: false }) },
    ),
  );

/** Changes blank text to null. Both mean that the value is absent. */
const blankIsNull = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? tidyText(value) || null : value));

/** Skips the checks if the property has no value (undefined or null). */
const mayBeNull = () => applyDecorators(IsOptional(), ApiProperty({ required: false, nullable: true }));

/** Optional text. `undefined` means no change. Blank text and null become null, which means absent. */
export const OptionalText = (rule: TextRule): PropertyDecorator =>
  applyDecorators(
    blankIsNull(),
    mayBeNull(),
    Check((value) => (typeof value === 'string' ? textProblem(value, rule) : 'must be a string'), {
      type: 'string',
      maxLength: rule.max,
      pattern: textPattern({ ...rule, blank: true }),
    }),
  );

const EMAIL_LENGTH = 254;

/** An e-mail address. */
export const Email = () =>
  Check(emailProblem, { type: 'string', format: 'email', minLength: 1, maxLength: EMAIL_LENGTH });

/** An optional e-mail address, like `OptionalText`. The address is stored as written, but comparisons ignore case. */
export const OptionalEmail = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? tidyEmail(value) || null : value,
    ),
    mayBeNull(),
    Check(emailProblem, { type: 'string', format: 'email', maxLength: EMAIL_LENGTH }),
  );

/** Skips the checks if the property was not sent. Null counts as sent. */
export const WhenSent = () =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    ApiProperty({ required: false }),
  );

/** For optional words, codes and times. Blank text and null mean absent, because forms also send their empty fields. */
export const BlankIsAbsent = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value,
    ),
    mayBeNull(),
  );

/** An integer from `min` to `max` in minor units, sent as a JSON number. */
export const MinorUnits = ({
  min = 1,
  max = MAX_OFFLINE_AMOUNT,
  ...docs
}: ApiPropertyOptions & { min?: number; max?: number } = {}) =>
  applyDecorators(
    Check(
      (value) => {
        if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be an integer in minor units';
        if (value < min) return `must be at least ${min}`;
        if (value > max) return `must be at most ${max}`;
        return undefined;
      },
      { type: 'integer', format: 'int64', minimum: min, maximum: max },
    ),
    ApiProperty({
      example: 2500,
      description: "Integer in the currency's minor unit (cents)",
      ...docs,
    }),
  );

/** Like `MinorUnits`. Null means that the value is absent. */
export const OptionalMinorUnits = (rule: ApiPropertyOptions & { min?: number; max?: number } = {}) =>
  applyDecorators(MinorUnits(rule), mayBeNull());

/** A whole number, sent as a JSON number. */
export const Whole = (min: number, max: number) =>
  Check(
    (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? undefined
        : `must be an integer from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max },
  );

/** Like `Whole`. Null means that the value is absent. */
export const OptionalWhole = (min: number, max: number) => applyDecorators(Whole(min, max), mayBeNull());

/** An ISO 4217 code. Accepts any case and converts the code to lower case. */
export const Currency = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.trim().toLowerCase() : value,
    ),
    Check(
      (value) =>
        typeof value === 'string' && isCurrency(value) ? undefined : 'must be an ISO 4217 currency code',
      { type: 'string', enum: CURRENCIES_IN_USE, enumName: 'CurrencyCode' },
    ),
  );

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
/** Pattern for the API description: RFC 3339 with the accepted years and at most nine decimals of a second. */
const DATE_TIME =
  '^(19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}T[0-9:]{8}([.][0-9]{1,9})?(Z|[+-][0-9:]{5})$';

/**
 * Returns the time of an ISO 8601 text, or undefined if the text is invalid. A date without a time means midnight UTC. The year
 * must be from 1970 to 9999.
 */
export function parseInstant(text: string): Date | undefined {
  if (!DATE.test(text)) return undefined;
  const zoned = text.length > 10 && !/(Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  if (Number.isNaN(time.getTime()) || time.getTime() < 0 || time.getUTCFullYear() > 9999) return undefined;
  // Refuses dates that do not exist, because JavaScript turns 31 February into a day in March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10)
    ? undefined
    : time;
}

/** An ISO 8601 timestamp or date. */
export const Instant = () =>
  Check(
    (value) =>
      typeof value === 'string' && parseInstant(value) ? undefined : 'must be an ISO 8601 timestamp',
    { type: 'string', format: 'date-time', pattern: DATE_TIME },
  );

/** A day of the calendar: `2026-12-01`. */
export const Day = () =>
  Check(
    (value) =>
      typeof value === 'string' && value.length === 10 && parseInstant(value)
        ? undefined
        : 'must be a day such as 2026-12-01',
    { type: 'string', format: 'date' },
  );

/** An id of any resource. */
export const Id = (problem = 'must be an id') =>
  Check((value) => (typeof value === 'string' && isId(value) ? undefined : problem), {
    type: 'string',
    format: 'uuid',
  });

/** One to `max` ids. */
export const Ids = ({ max }: { max: number }) =>
  Check(
    (value) => {
      if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one id';
      if (value.length > max) return `must have at most ${max} entries`;
      return value.every((one) => typeof one === 'string' && isId(one)) ? undefined : 'must contain ids';
    },
    { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: max },
  );

/** `true` or `false` in JSON. The text `"false"` is invalid. */
export const Flag = () =>
  Check((value) => (typeof value === 'boolean' ? undefined : 'must be a boolean'), { type: 'boolean' });

/**
 * A flag in a map of texts, such as a provider's metadata. Accepts `"true"`, `"false"`, and JSON booleans. Blank text means
 * absent.
 */
export const TextFlag = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    BlankIsAbsent(),
    Check((value) => (typeof value === 'boolean' ? undefined : 'must be true or false'), {
      oneOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }],
    }),
  );

/** An amount in a map of texts. Accepts a text of digits, or a JSON number. Blank text means absent. */
export const TextMinorUnits = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,13}$/.test(value) ? Number(value) : value,
    ),
    BlankIsAbsent(),
    Check(
      (value) =>
        typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_OFFLINE_AMOUNT
          ? undefined
          : `must be an integer from 0 to ${MAX_OFFLINE_AMOUNT}`,
      {
        oneOf: [
          { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_OFFLINE_AMOUNT },
          { type: 'string', pattern: '^[0-9]{1,12}$' },
        ],
      },
    ),
  );

/** One of the listed words. */
export const OneOf = (words: readonly string[]) =>
  Check(
    (value) =>
      typeof value === 'string' && words.includes(value) ? undefined : `must be one of ${words.join(', ')}`,
    { type: 'string', enum: [...words] },
  );

/** Text that matches a pattern, such as a code. */
export const Matching = (pattern: RegExp, problem: string) =>
  Check((value) => (typeof value === 'string' && pattern.test(value) ? undefined : problem), {
    type: 'string',
    pattern: pattern.source,
  });

/** A language such as `de` or `pt-BR`. */
export const LanguageTag = () =>
  Matching(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a BCP 47 language tag');

/** A list of at most `max` objects. The class of the objects checks their fields. */
export const ListOf = ({ max }: { max: number }) =>
  Check(
    (value) => {
      if (!Array.isArray(value)) return 'must be a list';
      if (value.length > max) return `must have at most ${max} entries`;
      // Refuses nested lists, because a list would otherwise be accepted as an object without fields.
      const areObjects = value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
      return areObjects ? undefined : 'must contain objects';
    },
    { maxItems: max },
  );

/** A query parameter with one or more of the listed words, separated by commas. Converts the parameter to a list. */
export const SomeOf = (words: readonly string[]) => {
  const word = words.map((one) => one.replaceAll('.', String.raw`\.`)).join('|');
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      // If a parameter is sent twice, the value is already a list. This is refused.
      typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : null,
    ),
    Check(
      (value) =>
        Array.isArray(value) && value.every((word) => words.includes(word as string))
          ? undefined
          : `must be one or several of ${words.join(', ')}`,
      { type: 'string', pattern: `^(${word})(,(${word}))*$` },
    ),
  );
};

/** A query parameter that is `true` or `false`. */
export const QueryFlag = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    Check((value) => (typeof value === 'boolean' ? undefined : 'must be true or false'), { type: 'boolean' }),
  );

/** A query parameter with an integer, such as `?limit=50`. */
export const QueryInteger = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    Whole(min, max),
  );
