import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Check, WhenSent } from '../../common/validation/field.decorators.js';
import { MAX_PASSWORD_BYTES } from '../passwords.js';

const DOCS = { example: 'correct horse battery staple', description: 'At most 72 bytes of UTF-8' };

const checked = Check(
  (value) => {
    if (typeof value !== 'string' || value === '') return 'must be a string that is not empty';
    return Buffer.byteLength(value) > MAX_PASSWORD_BYTES
      ? `must be at most ${MAX_PASSWORD_BYTES} bytes`
      : undefined;
  },
  // A character has at least one byte; that some have more is said in words.
  { type: 'string', format: 'password', minLength: 1, maxLength: MAX_PASSWORD_BYTES },
);

/** A password, as it was typed: neither trimmed nor normalized. */
export const Password = () => applyDecorators(ApiProperty(DOCS), checked);

/** A password that may be absent. */
export const OptionalPassword = () => applyDecorators(ApiPropertyOptional(DOCS), WhenSent(), checked);
