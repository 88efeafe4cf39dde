/** Contrast (WCAG 2.2) of the page colours in a charity's branding. */

/** Red, green and blue: whole numbers from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Style variables for page colours, with their default values on light pages. */
export const PAGE_COLOURS = {
  '--brand-color': '#0d5c4c',
  '--background-color': '#fbf7f0',
  '--text-color': '#16241f',
} as const;
export type PageColour = keyof typeof PAGE_COLOURS;

const WHITE = '#ffffff';
/** Minimum contrast of text and of button labels. */
export const READABLE = 4.5;

/** Pairs of a text colour and a background colour. */
export const READ_TOGETHER: readonly (readonly [text: PageColour | typeof WHITE, background: PageColour])[] =
  [
    ['--text-color', '--background-color'],
    ['--brand-color', '--background-color'],
    [WHITE, '--brand-color'],
  ];

export interface ContrastWarning {
  /** Style variable of the text, or `#ffffff` for button labels. */
  readonly text: string;
  readonly background: string;
  /** From 1 to 21, one decimal. */
  readonly ratio: number;
  readonly needed: number;
}

const light = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const LIGHT = Array.from({ length: 256 }, (_, part) => light(part));

/** Relative luminance (WCAG 2.2), from 0 to 1. */
export const luminanceOf = ([red, green, blue]: Colour): number =>
  0.2126 * (LIGHT[red] ?? 0) + 0.7152 * (LIGHT[green] ?? 0) + 0.0722 * (LIGHT[blue] ?? 0);

/** Returns the contrast of two colours: 1 for equal colours, 21 for black on white. */
export function contrastOf(one: Colour, other: Colour): number {
  const [first, second] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

const HEX = /^#(?:([0-9a-f])([0-9a-f])([0-9a-f])|([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}))$/i;
const RGB = /^rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/i;

/** Parses the notations of colour pickers: `#rgb`, `#rrggbb` and `rgb()`. Returns undefined for any other text. */
export function readColour(text: string): Colour | undefined {
  const [, ...hex] = HEX.exec(text.trim()) ?? [];
  const digits = hex.filter((one) => (one as string | undefined) !== undefined);
  const parts =
    digits.length === 3
      ? digits.map((one) => Number.parseInt(one.length === 1 ? one + one : one, 16))
      : RGB.exec(text.trim())?.slice(1).map(Number);
  const [red, green, blue] = parts ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [Math.min(255, red), Math.min(255, green), Math.min(255, blue)];
}

/** Returns the pairs of branding colours with too little contrast on light pages. Does not check colours in other notations. */
export function contrastWarnings(variables: Readonly<Record<string, string>>): ContrastWarning[] {
  const colour = (name: PageColour | typeof WHITE) =>
    readColour(name === WHITE ? name : (variables[name] ?? PAGE_COLOURS[name]));
  return READ_TOGETHER.flatMap(([text, background]) => {
    if (variables[text] === undefined && variables[background] === undefined) return [];
    const [one, other] = [colour(text), colour(background)];
    if (!one || !other) return [];
    const ratio = Math.round(contrastOf(one, other) * 10) / 10;
    return ratio < READABLE ? [{ text, background, ratio, needed: READABLE }] : [];
  });
}
