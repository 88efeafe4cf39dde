import { type Colour, contrastOf } from '../../../src/settings/contrast.js';

/** Contrast of any colours that a browser understands. */

let canvas: CanvasRenderingContext2D | null | undefined;

/** Parses any CSS colour; undefined if the browser does not understand it. */
export function readColour(text: string): Colour | undefined {
  if (!CSS.supports('color', text)) return undefined;
  canvas ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) return undefined;
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

export function contrast(first: string, second: string): number | undefined {
  const [one, other] = [readColour(first), readColour(second)];
  return one && other && contrastOf(one, other);
}

export const toHex = (text: string): string => {
  const colour = readColour(text) ?? [0, 0, 0];
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};
