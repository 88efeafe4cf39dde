import sharp from 'sharp';
import { contrastOf, luminanceOf, type Colour } from '../../src/settings/contrast.js';

/** Returns a PNG with upright stripes of a colour, and nothing between them. */
export async function stripedLogo([red, green, blue]: Colour, width = 240, height = 80): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 4);
  for (let y = 8; y < height - 8; y++)
    for (let x = 8; x < width - 8; x++)
      if (x % 24 < 12) pixels.set([red, green, blue, 255], (y * width + x) * 4);
  return await sharp(pixels, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

/** Returns the contrast between the darkest and the lightest tenth of a picture, from 1 to 21. */
export async function contrastIn(picture: Buffer): Promise<number> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colours = Array.from({ length: info.width * info.height }, (_, at): Colour => {
    const [red = 0, green = 0, blue = 0] = data.subarray(at * 3, at * 3 + 3);
    return [red, green, blue];
  }).sort((one, other) => luminanceOf(one) - luminanceOf(other));
  const at = (share: number): Colour => colours[Math.floor(colours.length * share)] ?? [0, 0, 0];
  return contrastOf(at(0.1), at(0.9));
}
