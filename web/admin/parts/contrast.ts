import { type Colour, contrastOf, READABLE } from '../../../src/settings/contrast.js';
import { type BrandColours, palette, readableOn, toHex } from '../../../src/settings/palette.js';

/** Measures colours by drawing them, because CSS colours have many notations. */

let canvas: CanvasRenderingContext2D | null | undefined;

/** Parses any CSS colour; undefined if the browser does not understand it. */
function readColour(text: string): Colour | undefined {
  if (!CSS.supports('color', text)) return undefined;
  canvas ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) return undefined;
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Converts a colour to `#rrggbb`, because a colour picker accepts no other notation. */
export const pickerColour = (text: string): string => toHex(readColour(text) ?? [0, 0, 0]);

type Variables = Readonly<Record<string, string>>;

const own = (text: string | undefined): Colour | undefined =>
  text === undefined ? undefined : readColour(text);

/** Colours of the branding, from the same variables as on the pages. */
export const brandColours = (variables: Variables): BrandColours => ({
  brand: own(variables['--brand-color'] ?? variables['--primary-color']),
  paper: own(variables['--background-color']),
  ink: own(variables['--text-color']),
});

interface Readability {
  /** Contrast of the text on the background; undefined if one of the two values is not a colour. */
  readonly text: number | undefined;
  /** Contrast of the brand colour on the background. */
  readonly link: number | undefined;
  /** Contrast of the text on buttons. The pages choose the colour of this text. */
  readonly button: number | undefined;
  /** The nearest readable text colour, if the chosen text colour is not readable. */
  readonly nearestText: string | undefined;
  /** The nearest readable colour for links, if the brand colour is not readable as text. */
  readonly nearestBrand: string | undefined;
}

/** Checks if the colours of the branding are readable on light pages. */
export function readability(variables: Variables): Readability {
  const shown = palette(brandColours(variables), 'light');
  const chosen = (text: string | undefined, otherwise: Colour) =>
    text === undefined ? otherwise : readColour(text);
  const brand = chosen(variables['--brand-color'] ?? variables['--primary-color'], shown.brand);
  const paper = chosen(variables['--background-color'], shown.paper);
  const ink = chosen(variables['--text-color'], shown.ink);
  const ratio = (one: Colour | undefined, other: Colour | undefined) =>
    one && other && contrastOf(one, other);
  const [text, link] = [ratio(ink, paper), ratio(brand, paper)];
  return {
    text,
    link,
    button: brand && contrastOf(shown['on-brand'], brand),
    nearestText:
      ink && paper && text !== undefined && text < READABLE ? toHex(readableOn(ink, paper)) : undefined,
    nearestBrand: link !== undefined && link < READABLE ? toHex(shown['brand-ink']) : undefined,
  };
}
