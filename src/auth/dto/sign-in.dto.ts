import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Check, OptionalText, Text, WhenSent } from '../../common/validation/field.decorators.js';
import { MAX_PASSWORD_BYTES } from '../passwords.js';

const PASSWORD = { example: 'correct horse battery staple', description: 'At most 72 bytes of UTF-8' };

const checked = Check(
  (value) => {
    if (typeof value !== 'string' || value === '') return 'must be a non-empty string';
    return Buffer.byteLength(value) > MAX_PASSWORD_BYTES
      ? `must be at most ${MAX_PASSWORD_BYTES} bytes`
      : undefined;
  },
  // `maxLength` counts characters, but the limit is in bytes. The description of the field explains this limit.
  { type: 'string', format: 'password', minLength: 1, maxLength: MAX_PASSWORD_BYTES },
);

/** A password exactly as typed: not trimmed, not normalized. */
export const Password = () => applyDecorators(ApiProperty(PASSWORD), checked);

/** An optional password. */
export const OptionalPassword = () => applyDecorators(ApiPropertyOptional(PASSWORD), WhenSent(), checked);

const TOTP = {
  example: '492039',
  description: 'Code of the authenticator app or recovery code; required if a second factor is set up',
};

/** Body of `POST /auth/login`. */
export class AdminLogin {
  @ApiProperty({ example: 'admin@example.org' })
  @Text({ max: 254 })
  email: string;

  @Password()
  password: string;

  @ApiPropertyOptional(TOTP)
  @OptionalText({ max: 40 })
  totp?: string | null;
}

/** Body of `POST /auth/staff/login`. */
export class StaffLogin {
  @ApiProperty({
    example: '482913',
    description: 'The PIN: 6 to 10 digits (from 4 where only enrolled terminals may sign in)',
  })
  @Text({ max: 64 })
  code: string;

  @ApiPropertyOptional({
    example: 'summer-gala',
    description: 'Id or slug. Optional for a member with exactly one open event.',
  })
  @OptionalText({ max: 100 })
  eventId?: string | null;
}

/** Body of `POST /auth/idp/exchange`. */
export class ExchangeCode {
  @ApiProperty({
    example: 'b1cPzD5kq0Zr3Lh8u2nXwT6yVfM4sJaE9oGiKdRlQ7U',
    description: 'From the address of the page',
  })
  @Text({ max: 200 })
  code: string;

  @ApiPropertyOptional(TOTP)
  @OptionalText({ max: 40 })
  totp?: string | null;
}
