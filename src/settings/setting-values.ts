import * as z from 'zod';
import { CURRENCIES_IN_USE, isCurrency, MAX_OFFLINE_AMOUNT } from '../common/money/money.js';
import { emailProblem, tidyEmail } from '../common/text/email-address.js';
import { textPattern, textProblem, tidyText } from '../common/text/text.js';
import { assetNameProblem, assetProblem, isHttpsAddress, isHttpsOrigin } from './asset-address.js';
import { styleNameProblem, styleValueProblem } from './style-value.js';

/*
 * Value types of the settings. Each error message is the end of a sentence that starts with the field's name. Rules
 * that zod cannot express in JSON schema are added as metadata for the API description.
 */

/** A text with a check. `problemOf` returns the error of a text, or undefined. */
const checked = (problemOf: (given: string) => string | undefined, notText = 'must be a string') =>
  z.string(notText).superRefine((given, context) => {
    const problem = problemOf(given);
    if (problem !== undefined) context.addIssue(problem);
  });

/** Text of at most `max` characters. Blank text and null mean absent. */
export const text = (max: number, { multiline = false } = {}) =>
  z
    .string('must be a string')
    .overwrite(tidyText)
    .superRefine((given, context) => {
      const problem = textProblem(given, { max, multiline });
      if (problem !== undefined) context.addIssue(problem);
    })
    .meta({ maxLength: max, pattern: textPattern({ multiline, blank: true }) });

/** An e-mail address; empty for none. */
export const emailOrNone = () =>
  z
    .string('must be a string')
    .overwrite(tidyEmail)
    .superRefine((given, context) => {
      const problem = given === '' ? undefined : emailProblem(given);
      if (problem !== undefined) context.addIssue(problem);
    })
    // An empty text is no e-mail address, so the description names both forms.
    .meta({
      anyOf: [
        { type: 'string', maxLength: 0 },
        { type: 'string', maxLength: 254, format: 'email' },
      ],
    });

const NO_PHONE = 'must be a telephone number such as +49 30 123456';

/** A telephone number as people write it; empty for none. */
export const phoneOrNone = () =>
  z
    .string('must be a string')
    .overwrite((given) => given.trim())
    .regex(/^(\+?[0-9][0-9 ()./-]{4,38}[0-9])?$/, NO_PHONE)
    .meta({ maxLength: 40 });

export const flag = () => z.boolean('must be a boolean');

export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `must be one of ${words.join(', ')}`);

/** An amount above zero, in minor units. */
export const amount = () =>
  z
    .int('must be an integer in minor units')
    .min(1, `must be from 1 to ${MAX_OFFLINE_AMOUNT}`)
    .max(MAX_OFFLINE_AMOUNT, `must be from 1 to ${MAX_OFFLINE_AMOUNT}`)
    .meta({ format: 'int64' });

/** Texts of at most `max` characters by amount in minor units. */
export const textByAmount = (max: number) =>
  z
    .record(
      checked((given) =>
        /^[1-9]\d{0,12}$/.test(given) ? undefined : 'is not an amount in minor units such as 5000',
      ).meta({ pattern: '^[1-9][0-9]{0,12}$' }),
      text(max),
    )
    .meta({ maxProperties: 50 });

const NO_CURRENCY = 'must be an ISO 4217 currency code';

/** An ISO 4217 code. Any case is accepted and stored in lower case. */
export const currency = () =>
  z
    .string(NO_CURRENCY)
    .overwrite((given) => given.trim().toLowerCase())
    .refine(isCurrency, NO_CURRENCY)
    .meta({ enum: CURRENCIES_IN_USE, description: 'ISO 4217, stored in lower case' });

const NO_TIME = 'must be a moment in ISO 8601, such as 2026-11-21T19:30:00.000Z';

/** A timestamp in UTC. */
export const time = () => z.iso.datetime(NO_TIME).meta({ format: 'date-time' });

const NO_FIELD = 'must be the API name of a field, such as Donation_External_Id__c';

/** The API name of a field in Salesforce. */
export const fieldName = () => z.string(NO_FIELD).regex(/^[A-Za-z][A-Za-z0-9_]{0,59}$/, NO_FIELD);

const NO_DATE = 'must be a day as YYYY-MM-DD, such as 2025-03-14';

/** A calendar day. */
export const day = () =>
  checked((given) => (isDay(given) ? undefined : NO_DATE), NO_DATE).meta({ format: 'date' });

function isDay(given: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given)) return false;
  // A day that does not exist, such as 30 February, becomes another day or no day.
  const parsed = new Date(`${given}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(given);
}

const NO_TIMEZONE = 'must be an IANA time zone name';

/** An IANA time zone name. A UTC offset is refused, because an offset has no summer time. */
const NO_DAY = 'must be a day of the year as MM-DD, such as 03-31';

/** A day of each year. 29 February is refused, because not every year has it. */
export const monthAndDay = () =>
  z
    .string(NO_DAY)
    .regex(
      /^(02-(0[1-9]|1[0-9]|2[0-8])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01]))$/,
      NO_DAY,
    );

export const timezone = () =>
  checked(
    (given) => (/^[A-Za-z]/.test(given) && isTimeZone(given) ? undefined : NO_TIMEZONE),
    NO_TIMEZONE,
  ).meta({ format: 'iana-time-zone', description: 'IANA name' });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const NO_LOCALE = 'must be a BCP 47 language tag';

/** A BCP 47 tag, stored in canonical form. */
export const locale = () =>
  checked((given) => (canonicalLocale(given) === undefined ? NO_LOCALE : undefined), NO_LOCALE)
    .overwrite((given) => canonicalLocale(given) ?? given)
    .meta({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$',
      description: 'BCP 47',
    });

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Pattern for the API description. Hosts in other scripts are also accepted, and stored in the form that browsers use. */
const HTTPS_HOST = 'https://([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z]{2,}(:[1-9][0-9]{0,3})?';
const PATH_LETTER = 'A-Za-z0-9._~!$&*+,;=:@%?#-';

const NO_ORIGIN = 'must be an https origin such as https://www.example.org';

/** An https origin, stored in the form that browsers use. */
export const origin = () =>
  checked((given) => (isHttpsOrigin(given) ? undefined : NO_ORIGIN), NO_ORIGIN)
    .overwrite((given) => (isHttpsOrigin(given) ? new URL(given).origin : given))
    .meta({ maxLength: 2048, pattern: `^${HTTPS_HOST}$`, description: 'https origin' });

const NO_ADDRESS = 'must be an https address such as https://www.example.org/monthly';

/** The https address of a page. */
export const httpsAddress = () =>
  checked((given) => (isHttpsAddress(given) ? undefined : NO_ADDRESS), NO_ADDRESS).meta({
    maxLength: 2048,
    pattern: `^${HTTPS_HOST}/[/${PATH_LETTER}]*$`,
    description: 'https address',
  });

const NO_IMAGE = 'must be the path of an uploaded image';

/** Path of an image in the image store. */
export const storedImage = () => z.string(NO_IMAGE).regex(/^\/images\/[0-9a-f]{64}\.webp$/, NO_IMAGE);

/** A list of `min` to `max` entries without duplicates. */
export const listOf = <Entry extends z.ZodType>(entry: Entry, { min, max }: { min: number; max: number }) =>
  z
    .array(entry, 'must be an array')
    .min(min, `must have ${min} to ${max} entries`)
    .max(max, `must have ${min} to ${max} entries`)
    .refine((list) => new Set(list).size === list.length, 'must not contain duplicates')
    .meta({ uniqueItems: true });

/** Addresses of images and pages by name. The charity chooses the names. */
export const assets = () =>
  z
    .record(
      checked(assetNameProblem).meta({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
      checked(assetProblem).meta({
        maxLength: 2048,
        pattern: `^(${HTTPS_HOST})?/([${PATH_LETTER}][/${PATH_LETTER}]*)?$`,
        description: 'An https address or a path on this host',
      }),
    )
    .meta({ maxProperties: 50 });

/** Style variables by name. */
export const styleVariables = () =>
  z
    .record(
      checked(styleNameProblem).meta({ pattern: '^--[A-Za-z0-9_-]{1,64}$' }),
      checked(styleValueProblem)
        .overwrite((given) => given.trim())
        .meta({
          minLength: 1,
          maxLength: 200,
          format: 'css-value',
          description: 'A colour, length, number, font or style word',
        }),
    )
    .meta({ maxProperties: 200 });
