import { type Colour, contrastOf, luminanceOf } from './contrast.js';
import { isDark } from './palette.js';

/**
 * Lightness of a picture at its edges to transparent parts: the percentage of the edge in each of 16 steps from black to white.
 * Empty for a picture without transparent parts, which has its own background.
 */
export type EdgeTones = readonly number[];

export const TONE_STEPS = 16;
const STEP = 256 / TONE_STEPS;

const WHITE: Colour = [255, 255, 255];
const DARK: Colour = [22, 36, 31];

/**
 * Contrast from which an edge is visible, and the share of the edge that must be visible. Most logos are made for white paper, so
 * on a light surface only a nearly white logo gets a plate. On a dark surface, a dark word next to a coloured sign needs one too.
 */
const VISIBLE = {
  onDark: { contrast: 3, share: 85 },
  onLight: { contrast: 1.6, share: 60 },
} as const;

/** Returns the step of a colour: that of the grey with the same luminance. */
export function toneOf(colour: Colour): number {
  const light = luminanceOf(colour);
  const grey = light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.min(TONE_STEPS - 1, Math.floor((grey * 255) / STEP));
}

/** Returns the percentage of the edge that is visible on a surface. */
export function visibleOn(tones: EdgeTones, surface: Colour): number {
  const { contrast } = isDark(surface) ? VISIBLE.onDark : VISIBLE.onLight;
  return tones.reduce((sum, share, step) => {
    const grey = Math.round(step * STEP + STEP / 2);
    return contrastOf([grey, grey, grey], surface) >= contrast ? sum + share : sum;
  }, 0);
}

/**
 * Returns the colour of the outline that a logo with unknown pixels needs on a surface; undefined if it needs none. On a dark
 * surface, a white outline makes a dark logo visible and leaves a white logo visible. A white plate would hide the white logo.
 */
export const outlineFor = (surface: Colour): Colour | undefined => (isDark(surface) ? WHITE : undefined);

/** Returns the colour of the plate that a logo needs on a surface; undefined if it needs none, or if no plate is better. */
export function plateFor(tones: EdgeTones, surface: Colour): Colour | undefined {
  if (tones.length === 0) return undefined;
  const visible = visibleOn(tones, surface);
  if (visible >= (isDark(surface) ? VISIBLE.onDark : VISIBLE.onLight).share) return undefined;
  const plate = isDark(surface) ? WHITE : DARK;
  return visibleOn(tones, plate) > visible ? plate : undefined;
}
