import type Sharp from 'sharp';
import { DomainError, InvalidInputError } from '../common/errors/domain-errors.js';
import type { Colour } from '../settings/contrast.js';
import { type EdgeTones, plateFor } from '../settings/logo-plate.js';
import { edgeTonesOf } from './edge-tones.js';

/** A stored image. */
export interface EncodedImage {
  readonly content: Buffer;
  readonly width: number;
  readonly height: number;
  readonly edgeTones: EdgeTones;
}

/** The accepted upload types. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

const SIGNATURES: Readonly<Record<ImageType, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/webp': (bytes) =>
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
};

const MOST_PIXELS = 25_000_000;
/** Maximum pixels per side; larger than any logo on a 4K wall. */
const LARGEST_SIDE = 2_000;
const PRINTED = { width: 1_000, height: 600 };
const PAPER: Colour = [255, 255, 255];
/** Border of a plate around a printed logo, as a share of its height. */
const PLATE_BORDER = 0.12;
/** Size at which the edges of an image are read. */
const READ_SIDE = 400;

let loaded: Promise<typeof Sharp> | undefined;

/** Loads the codecs with the first image, because their libraries take memory and threads, and few requests need them. */
const codecs = () => (loaded ??= loadCodecs());

async function loadCodecs(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  // Only the decoders of these three types may read a file, whatever type the client declares.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadWebpBuffer',
      'VipsForeignLoadPngSource',
      'VipsForeignLoadJpegSource',
      'VipsForeignLoadWebpSource',
    ],
  });
  // An upload must not use all processor cores during an event, and must not keep memory afterwards.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/**
 * Decodes an image and encodes its pixels as sRGB WebP, rotated by its EXIF orientation, with at most 2000 pixels per side.
 * Drops all other data of the file, such as the location in EXIF data, comments and appended files.
 * @throws DomainError 415 for another type, 413 for too many pixels; InvalidInputError for a broken or animated image
 */
export async function encodeImage(bytes: Buffer, contentType: string): Promise<EncodedImage> {
  const type = IMAGE_TYPES.find((one) => one === contentType);
  if (!type)
    throw new DomainError(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      `The image type must be one of ${IMAGE_TYPES.join(', ')}`,
    );
  if (!SIGNATURES[type](bytes)) throw new InvalidInputError('IMAGE_UNREADABLE', `The file is not ${type}`);
  const sharp = await codecs();
  const options = { limitInputPixels: false, failOn: 'warning', pages: 1 } as const;
  const { width, height, pages = 1 } = await readable(sharp(bytes, options).metadata());
  // Checks the size before decoding, because a small file can contain a very large image.
  if (width * height > MOST_PIXELS)
    throw new DomainError(413, 'IMAGE_TOO_LARGE', 'An image can have at most 25 million pixels');
  if (pages > 1 || isAnimatedPng(type, bytes))
    throw new InvalidInputError('IMAGE_ANIMATED', 'An image must not be animated');
  const { data, info } = await readable(
    sharp(bytes, { ...options, limitInputPixels: MOST_PIXELS })
      .rotate()
      .resize(LARGEST_SIDE, LARGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 88, alphaQuality: 100 })
      .toBuffer({ resolveWithObject: true }),
  );
  return { content: data, width: info.width, height: info.height, edgeTones: await readEdgeTones(data) };
}

/**
 * Reads the lightness of an image at its edges.
 * @throws if the image is broken, is not an image, or is too large to decode
 */
export async function readEdgeTones(bytes: Buffer): Promise<EdgeTones> {
  const sharp = await codecs();
  const { data, info } = await sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'warning', pages: 1 })
    .rotate()
    .resize(READ_SIDE, READ_SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return edgeTonesOf(data, info.width, info.height);
}

/**
 * Converts an image for a PDF: a PNG on white, rotated by its EXIF orientation and no larger than paper needs. A white logo gets a
 * dark plate. The background is not transparent, because PDFKit needs extra work for transparency.
 * @throws if the image is broken, is not an image, or is too large to decode
 */
export async function printable(bytes: Buffer): Promise<Buffer> {
  const sharp = await codecs();
  const plate = plateFor(await readEdgeTones(bytes), PAPER);
  const [r, g, b] = plate ?? PAPER;
  const { data, info } = await sharp(bytes, {
    limitInputPixels: MOST_PIXELS,
    failOn: 'warning',
    pages: 1,
  })
    .rotate()
    .resize(PRINTED.width, PRINTED.height, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: { r, g, b } })
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  if (!plate) return data;
  const border = Math.round(info.height * PLATE_BORDER);
  return await sharp(data)
    .extend({ top: border, bottom: border, left: border, right: border, background: { r, g, b } })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** True for an animated PNG. Its animation chunk comes before the first frame. */
function isAnimatedPng(type: ImageType, bytes: Buffer): boolean {
  if (type !== 'image/png') return false;
  const pixels = bytes.indexOf('IDAT');
  return bytes.subarray(0, pixels < 0 ? bytes.length : pixels).includes('acTL');
}

async function readable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    // Replaces the decoder's own message, because it describes internals of the decoder.
    throw new InvalidInputError('IMAGE_UNREADABLE', 'The file is broken or not an image');
  }
}
