import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { contrastIn, stripedLogo } from '../../test/support/logos.js';
import type { Colour } from '../settings/contrast.js';
import { encodeImage, printable } from './image-encoder.js';

const cornerOf = async (picture: Buffer) => [
  ...(await sharp(picture).removeAlpha().raw().toBuffer()).subarray(0, 3),
];

describe('a logo on paper', () => {
  it.each([
    ['dark', [16, 24, 42], [255, 255, 255]],
    ['white', [255, 255, 255], [22, 36, 31]],
  ] as const)('a %s logo is visible', async (_, ink: Colour, paper) => {
    const printed = await printable((await encodeImage(await stripedLogo(ink), 'image/png')).content);
    expect(await cornerOf(printed)).toEqual(paper);
    expect(await contrastIn(printed)).toBeGreaterThan(10);
  });

  it('a picture with its own background keeps it', async () => {
    const white = sharp({ create: { width: 40, height: 20, channels: 3, background: '#ffffff' } });
    expect(await cornerOf(await printable(await white.png().toBuffer()))).toEqual([255, 255, 255]);
  });
});
