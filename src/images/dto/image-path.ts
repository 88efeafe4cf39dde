import { applyDecorators } from '@nestjs/common';
import { Matching, OptionalText } from '../../common/validation/field.decorators.js';

const PATH = /^\/images\/([0-9a-f]{64})\.webp$/;

/** Path of a picture of this service. Null and blank text remove it. */
export const ImagePath = () =>
  applyDecorators(OptionalText({ max: 100 }), Matching(PATH, 'must be a path of an uploaded image'));

/** Returns the digest in the path of a picture. */
export const digestOf = (path: string | null): string | null =>
  path === null ? null : (PATH.exec(path)?.[1] ?? null);

/** Returns the path of a picture. */
export const imagePathOf = (digest: string): string => `/images/${digest}.webp`;
