import type Sharp from 'sharp';
import { DomainError, InvalidInputError } from '../common/errors/domain-errors.js';

/** A picture as it is kept and served. */
export interface EncodedImage {
  readonly content: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The types that may be sent, each with the first bytes that every file of it has. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

const SIGNATURES: Readonly<Record<ImageType, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/webp': (bytes) =>
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
};

const MOST_PIXELS = 25_000_000;
/** A logo on a 4K wall is smaller. */
const LARGEST_SIDE = 2_000;
const PRINTED = { width: 1_000, height: 600 };

let loaded: Promise<typeof Sharp> | undefined;

/** The codecs are loaded with the first picture: their libraries take memory and threads, and few requests need them. */
const codecs = () => (loaded ??= loadCodecs());

async function loadCodecs(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  // Whatever a file says it is, only these three decoders ever see it.
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
  // An upload must not take the processor from the evening, nor keep memory after it.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/**
 * Decodes a picture and encodes its pixels as WebP: turned as its EXIF says, at most 2000 pixels a side, in sRGB.
 * Nothing else of the file survives: no EXIF with the place it was taken at, no comments, no other file behind it.
 * @throws DomainError 415 for another type, 413 for too many pixels; InvalidInputError for what is no still picture
 */
export async function encodeImage(bytes: Buffer, contentType: string): Promise<EncodedImage> {
  const type = IMAGE_TYPES.find((one) => one === contentType);
  if (!type)
    throw new DomainError(415, 'UNSUPPORTED_MEDIA_TYPE', `A picture is one of ${IMAGE_TYPES.join(', ')}`);
  if (!SIGNATURES[type](bytes)) throw new InvalidInputError('IMAGE_UNREADABLE', `The file is no ${type}`);
  const sharp = await codecs();
  const options = { limitInputPixels: false, failOn: 'warning', pages: 1 } as const;
  const { width, height, pages = 1 } = await readable(sharp(bytes, options).metadata());
  // Before a pixel is decoded: a small file can hold a very large picture.
  if (width * height > MOST_PIXELS)
    throw new DomainError(413, 'IMAGE_TOO_LARGE', 'A picture has at most 25 million pixels');
  if (pages > 1 || isAnimatedPng(type, bytes))
    throw new InvalidInputError('IMAGE_ANIMATED', 'A picture must not be animated');
  const { data, info } = await readable(
    sharp(bytes, { ...options, limitInputPixels: MOST_PIXELS })
      .rotate()
      .resize(LARGEST_SIDE, LARGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 88, alphaQuality: 100 })
      .toBuffer({ resolveWithObject: true }),
  );
  return { content: data, width: info.width, height: info.height };
}

/**
 * A picture as a PDF can hold it: PNG on white, because transparency would have to be taken apart, turned as its EXIF
 * says and no larger than paper shows.
 * @throws where it is broken, none, or too large to be decoded
 */
export async function printable(bytes: Buffer): Promise<Buffer> {
  const sharp = await codecs();
  return await sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'warning', pages: 1 })
    .rotate()
    .resize(PRINTED.width, PRINTED.height, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** The chunk that announces frames stands before the first one. */
function isAnimatedPng(type: ImageType, bytes: Buffer): boolean {
  if (type !== 'image/png') return false;
  const pixels = bytes.indexOf('IDAT');
  return bytes.subarray(0, pixels < 0 ? bytes.length : pixels).includes('acTL');
}

async function readable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    // The decoder's words are about its own insides.
    throw new InvalidInputError('IMAGE_UNREADABLE', 'The picture is broken or none');
  }
}
