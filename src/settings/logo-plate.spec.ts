import { describe, expect, it } from '@jest/globals';
import type { Colour } from './contrast.js';
import { type EdgeTones, plateFor, TONE_STEPS, toneOf } from './logo-plate.js';

const WHITE: Colour = [255, 255, 255];
const CREAM: Colour = [251, 247, 240];
const NIGHT: Colour = [15, 26, 22];
const DARK_PLATE: Colour = [22, 36, 31];

/** The tones of a logo whose edge has these colours in these shares. */
function edge(...parts: readonly (readonly [colour: Colour, percent: number])[]): EdgeTones {
  const tones = Array.from({ length: TONE_STEPS }, () => 0);
  for (const [colour, percent] of parts) tones[toneOf(colour)] = (tones[toneOf(colour)] ?? 0) + percent;
  return tones;
}

describe('the plate behind a logo', () => {
  it('puts a dark logo on white on a dark page, and on nothing on a light one', () => {
    for (const ink of [
      [0, 0, 0],
      [16, 24, 42],
      [13, 92, 76],
      [122, 31, 92],
    ] as const) {
      expect(plateFor(edge([ink, 100]), NIGHT)).toEqual(WHITE);
      expect(plateFor(edge([ink, 100]), CREAM)).toBeUndefined();
    }
  });

  it('puts a white logo on a dark plate on light paper, and on nothing on a dark page', () => {
    for (const ink of [
      [255, 255, 255],
      [250, 246, 226],
    ] as const) {
      for (const paper of [WHITE, CREAM]) expect(plateFor(edge([ink, 100]), paper)).toEqual(DARK_PLATE);
      expect(plateFor(edge([ink, 100]), NIGHT)).toBeUndefined();
    }
  });

  it('puts a dark word next to a bright sign on white on a dark page', () => {
    expect(plateFor(edge([[16, 24, 42], 40], [[230, 126, 34], 60]), NIGHT)).toEqual(WHITE);
  });

  it('puts a white word next to a red sign on a dark plate on light paper', () => {
    expect(plateFor(edge([WHITE, 60], [[200, 30, 40], 40]), WHITE)).toEqual(DARK_PLATE);
  });

  it('leaves coloured logos alone where they are visible, and a logo with its own background everywhere', () => {
    expect(plateFor(edge([[230, 126, 34], 100]), NIGHT)).toBeUndefined();
    expect(plateFor(edge([[230, 126, 34], 100]), CREAM)).toBeUndefined();
    for (const paper of [WHITE, NIGHT]) expect(plateFor([], paper)).toBeUndefined();
  });

  it('adds no plate on which less of the logo would be visible', () => {
    expect(plateFor(edge([WHITE, 80], [[16, 24, 42], 20]), NIGHT)).toBeUndefined();
  });
});
