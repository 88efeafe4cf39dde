import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../common/validation/field.decorators.js';
import { OptionalPassword } from './sign-in.dto.js';

/** Answer of `POST /auth/totp`: the secret for the authenticator app, shown once. */
export class TotpSecret {
  @ApiProperty({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', description: 'Base32, to be typed in' })
  secret: string;

  @ApiProperty({
    example:
      'otpauth://totp/Example%20Foundation:ada@example.org?issuer=Example%20Foundation&secret=JBSWY3DPEHPK3PXP',
  })
  otpauthUrl: string;

  @ApiProperty({ example: '<svg …></svg>', description: 'The address as a QR code, SVG' })
  qr: string;
}

/** Body of `POST /auth/totp/confirm`. */
export class ConfirmTotp {
  @ApiProperty({ example: '492039', description: 'The six digits that the app shows' })
  @Text({ max: 20 })
  code: string;
}

/** Answer of `POST /auth/totp/confirm`. */
export class RecoveryCodes {
  @ApiProperty({
    type: [String],
    example: ['7KQ2M-XW4RD'],
    description: 'Each stands in for one code of the app, once; shown only now',
  })
  recoveryCodes: string[];

  @ApiProperty({
    description: 'Takes the place of the token of the request, which is worthless now like all others',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoiQURNSU4ifQ.c2lnbmF0dXJl',
  })
  accessToken: string;
}

/** Body of `POST /auth/totp/disable`. */
export class DisableSecondFactor {
  @OptionalPassword()
  password?: string;
}

/** Answer of `POST /auth/totp/disable`. */
export class SecondFactorState {
  @ApiProperty({ example: false })
  enabled: boolean;
}
