import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Check, OptionalText, Text } from '../../common/validation/text.decorators.js';
import { MAX_PASSWORD_BYTES } from '../passwords.js';

/** Body of `POST /auth/login`. */
export class AdminLogin {
  @ApiProperty({ example: 'admin@example.org', maxLength: 254 })
  @Text({ max: 254 })
  email: string;

  @ApiProperty({
    example: 'correct horse battery staple',
    format: 'password',
    description: 'At most 72 bytes',
  })
  @Check((value) => {
    if (typeof value !== 'string' || value === '') return 'must be a string that is not empty';
    return Buffer.byteLength(value) > MAX_PASSWORD_BYTES
      ? `must be at most ${MAX_PASSWORD_BYTES} bytes`
      : undefined;
  })
  password: string;
}

/** Body of `POST /auth/staff/login`. */
export class StaffLogin {
  @ApiProperty({ example: '482913', description: 'The PIN: 6 to 10 digits' })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Text({ max: 64 })
  code: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'summer-gala',
    description: 'Id or slug. May be left out by a member who is assigned to exactly one open event.',
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
}
