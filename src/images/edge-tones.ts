import { type EdgeTones, TONE_STEPS, toneOf } from '../settings/logo-plate.js';

/** Alpha from which a pixel counts as visible. */
const VISIBLE = 128;
/** A picture with fewer transparent pixels than this share has its own background, such as a rectangle with round corners. */
const LEAST_TRANSPARENT = 0.1;
const CHANNELS = 4;

/**
 * Returns the lightness of a picture at its edges.
 * @param pixels RGBA, row by row
 */
export function edgeTonesOf(pixels: Uint8Array, width: number, height: number): EdgeTones {
  const isVisible = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height && (pixels[(y * width + x) * CHANNELS + 3] ?? 0) >= VISIBLE;
  const counts = Array.from({ length: TONE_STEPS }, () => 0);
  let visible = 0;
  let edge = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (!isVisible(x, y)) continue;
      visible++;
      if (isVisible(x - 1, y) && isVisible(x + 1, y) && isVisible(x, y - 1) && isVisible(x, y + 1)) continue;
      edge++;
      const at = (y * width + x) * CHANNELS;
      const tone = toneOf([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]);
      counts[tone] = (counts[tone] ?? 0) + 1;
    }
  if (edge === 0 || visible > width * height * (1 - LEAST_TRANSPARENT)) return [];
  return counts.map((count) => Math.round((count / edge) * 100));
}
