/** Contrast as WCAG 2.2 counts it. */

type Colour = readonly [number, number, number];

let canvas: CanvasRenderingContext2D | null | undefined;

/** Any colour that the browser understands; undefined for what it does not. */
export function readColour(text: string): Colour | undefined {
  if (!CSS.supports('color', text)) return undefined;
  canvas ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) return undefined;
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

const light = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const luminance = ([red, green, blue]: Colour): number =>
  0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);

export function contrast(first: string, second: string): number | undefined {
  const [one, other] = [readColour(first), readColour(second)];
  if (!one || !other) return undefined;
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export const toHex = (text: string): string => {
  const colour = readColour(text) ?? [0, 0, 0];
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};
