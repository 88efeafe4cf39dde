const MAX_LENGTH = 200;
const MAX_DEPTH = 4;

// One pattern for each part of a value. Other text is not allowed.
const HEX_COLOUR = /^#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w-])/i;
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:%|[a-z]{1,5})?(?![\w-])/i;
const UNITS = new Set(
  [
    '',
    '%',
    'px',
    'rem',
    'em',
    'ch',
    'ex',
    'lh',
    'rlh',
    'vw',
    'vh',
    'vmin',
    'vmax',
    'svh',
    'svw',
    'lvh',
    'lvw',
  ]
    .concat([
      'dvh',
      'dvw',
      'cqw',
      'cqh',
      'pt',
      'pc',
      'cm',
      'mm',
      'in',
      'q',
      'fr',
      'deg',
      'rad',
      'turn',
      'grad',
    ])
    .concat(['s', 'ms']),
);
const QUOTED_NAME = /^(?:"[\p{L}\p{N} ._+-]*"|'[\p{L}\p{N} ._+-]*')/u;
const TOKEN = /^-?[a-z_][\w-]*/i;
const VARIABLE = /^--[A-Za-z0-9_-]{1,64}/;
const OPERATOR = /^[+*-]/;
const SPACE = /^ +/;

const ARITHMETIC = new Set(['calc', 'min', 'max', 'clamp']);
const FUNCTIONS = new Set([
  ...['rgb', 'rgba', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'oklab', 'oklch', 'color', 'color-mix', 'var'],
  ...ARITHMETIC,
]);

const NAME = /^--[A-Za-z0-9_-]{1,64}$/;

/** Returns the problem of the name of a style variable, as the end of a sentence; undefined if the name is valid. */
export const styleNameProblem = (name: string): string | undefined =>
  NAME.test(name) ? undefined : 'is not a style variable name such as --brand-color';

/**
 * Returns the problem of the value of a style variable, as the end of a sentence; undefined if the value is valid. Allowed are
 * colours, numbers, lengths, font names, words such as `bold`, colour functions, `calc()` and similar, and `var()`, separated
 * by spaces, commas or slashes. So a value cannot end its declaration, load a file or run code.
 */
export function styleValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be empty';
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`;
  const reader = new ValueReader(value.trim());
  return reader.list(0, false) && reader.atEnd
    ? undefined
    : 'must be a colour, length, number, font or style word, or a list of them';
}

/** Reads a value from left to right. Each character is read a limited number of times. */
class ValueReader {
  private rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  get atEnd(): boolean {
    return this.rest === '';
  }

  /** Reads parts separated by spaces, commas or slashes. In arithmetic, the signs `+ - *` also separate parts. */
  list(depth: number, arithmetic: boolean): boolean {
    if (depth > MAX_DEPTH) return false;
    for (;;) {
      this.take(SPACE);
      if (!this.piece(depth, arithmetic)) return false;
      const spaced = this.take(SPACE) !== undefined;
      if (this.atEnd || this.rest.startsWith(')')) return true;
      const joined =
        this.take(/^[,/]/) !== undefined || (arithmetic && spaced && this.take(OPERATOR) !== undefined);
      if (!joined && !spaced) return false;
    }
  }

  private piece(depth: number, arithmetic: boolean): boolean {
    if (this.take(HEX_COLOUR) !== undefined || this.take(QUOTED_NAME) !== undefined) return true;
    const number = this.take(NUMBER);
    if (number !== undefined) return UNITS.has(number.replace(/^[+-]?[\d.]+/, '').toLowerCase());
    if (arithmetic && this.take(/^\(/) !== undefined) return this.closed(depth, true);
    if (this.take(VARIABLE) !== undefined) return depth > 0;
    const word = this.take(TOKEN)?.toLowerCase();
    if (word === undefined) return false;
    if (!this.rest.startsWith('(')) return true;
    this.rest = this.rest.slice(1);
    return FUNCTIONS.has(word) && this.closed(depth, ARITHMETIC.has(word));
  }

  private closed(depth: number, arithmetic: boolean): boolean {
    return this.list(depth + 1, arithmetic) && this.take(/^\)/) !== undefined;
  }

  private take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.rest)?.[0];
    if (found !== undefined) this.rest = this.rest.slice(found.length);
    return found;
  }
}
