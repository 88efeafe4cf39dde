import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../common/validation/field.decorators.js';
import { OptionalPassword } from './sign-in.dto.js';

/** Answer of `POST /auth/totp`: the secret for the authenticator app, shown once. */
export class TotpSecret {
  @ApiProperty({
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    description: 'The secret in Base32, for manual entry',
  })
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
  @ApiProperty({ example: '492039', description: 'Six-digit code of the app' })
  @Text({ max: 20 })
  code: string;
}

/** Answer of `POST /auth/totp/confirm`. */
export class RecoveryCodes {
  @ApiProperty({
    type: [String],
    example: ['7KQ2M-XW4RD'],
    description: 'Each code replaces one code of the app, once. They are shown only now',
  })
  recoveryCodes: string[];

  @ApiProperty({
    description: 'Replaces the token of the request, which is now invalid, as all other tokens',
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
