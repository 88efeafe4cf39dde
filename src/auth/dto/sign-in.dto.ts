import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, Text } from '../../common/validation/field.decorators.js';
import { Password } from './password.decorator.js';

const TOTP = {
  example: '492039',
  description:
    'A code of the authenticator app or a recovery code; asked for where a second factor is set up',
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

  @ApiPropertyOptional(TOTP)
  @OptionalText({ max: 40 })
  totp?: string | null;
}
