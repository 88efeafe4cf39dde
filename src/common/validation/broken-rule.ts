/*
 * The rule that a refused value breaks, read from the JSON schema of its check. Pages show their own text for each rule, because
 * the sentences of the server are in English.
 */

/** All rules, in the words of the answer. `other` is a rule that no schema describes, such as a relation of two fields. */
export const RULES = [
  'required',
  'unknown',
  'type',
  'choice',
  'email',
  'date',
  'timezone',
  'pattern',
  'characters',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'duplicate',
  'other',
] as const;
export type Rule = (typeof RULES)[number];

export interface BrokenRule {
  readonly rule: Rule;
  /** The limit of a length, an amount or a number of entries. Amounts are in minor units. */
  readonly limit?: number;
}

/** The keywords of a JSON schema that the rules come from. */
export interface Constraint {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly format?: unknown;
  readonly pattern?: unknown;
  readonly minLength?: unknown;
  readonly maxLength?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly minItems?: unknown;
  readonly maxItems?: unknown;
  readonly uniqueItems?: unknown;
  readonly items?: unknown;
  readonly oneOf?: unknown;
}

const RULE_OF_FORMAT: Readonly<Record<string, Rule>> = {
  email: 'email',
  'date-time': 'date',
  date: 'date',
  'iana-time-zone': 'timezone',
};

/** Returns the rule that a refused value breaks. */
export function brokenRule(value: unknown, constraint: Constraint): BrokenRule {
  const isBlank = value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return isBlank ? { rule: 'required' } : (broken(value, constraint) ?? { rule: 'other' });
}

function broken(value: unknown, constraint: Constraint): BrokenRule | undefined {
  const { type, enum: words, minimum, maximum, maxItems, oneOf } = constraint;
  const isList = Array.isArray(value);
  if (isWrongType(value, type) || (maxItems !== undefined && !isList)) return { rule: 'type' };
  if (Array.isArray(words) && !words.includes(value)) return { rule: 'choice' };
  if (isList) return brokenList(value, constraint);
  if (typeof value === 'string' && type === 'string') return brokenText(value, constraint);
  if (typeof value === 'number' && oneOf === undefined) return beyond(value, minimum, maximum, 'imum');
  // The value fits none of the alternatives, or the check of an object or a list refused one of its fields or entries.
  return type === 'object' || oneOf !== undefined ? { rule: 'type' } : undefined;
}

function brokenText(
  text: string,
  { format, pattern, minLength, maxLength }: Constraint,
): BrokenRule | undefined {
  const ofLength = beyond([...text].length, minLength, maxLength, 'Length');
  if (ofLength) return ofLength;
  if (typeof format === 'string') return { rule: RULE_OF_FORMAT[format] ?? 'pattern' };
  if (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)) return undefined;
  // A pattern that only excludes characters describes free text. Any other pattern describes a code.
  return { rule: pattern.startsWith('^[^') ? 'characters' : 'pattern' };
}

function brokenList(list: readonly unknown[], constraint: Constraint): BrokenRule | undefined {
  const { items, minItems, maxItems, uniqueItems } = constraint;
  const ofLength = beyond(list.length, minItems, maxItems, 'Items');
  if (ofLength) return ofLength;
  if (uniqueItems === true && new Set(list).size < list.length) return { rule: 'duplicate' };
  const entries = list.map((one) => broken(one, (items ?? {}) as Constraint));
  return entries.find((entry) => entry !== undefined) ?? { rule: 'type' };
}

function beyond(
  size: number,
  min: unknown,
  max: unknown,
  of: 'imum' | 'Length' | 'Items',
): BrokenRule | undefined {
  if (typeof min === 'number' && size < min) return { rule: `min${of}`, limit: min };
  return typeof max === 'number' && size > max ? { rule: `max${of}`, limit: max } : undefined;
}

const IS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

const isWrongType = (value: unknown, type: unknown): boolean =>
  typeof type === 'string' && IS_TYPE[type]?.(value) === false;
