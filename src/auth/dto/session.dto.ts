import { ApiProperty } from '@nestjs/swagger';
import { ADMIN_ROLES, type AdminRole } from '../../common/access/principal.js';

/** The signed-in admin or accountant, with the field names of the specification. */
export class AdminUser {
  @ApiProperty({ format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' })
  id: string;

  @ApiProperty({ example: 'admin@example.org' })
  email: string;

  @ApiProperty({ enum: ADMIN_ROLES, example: 'ADMIN' })
  role: AdminRole;
}

/** The signed-in staff member. */
export class StaffUser {
  @ApiProperty({ format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' })
  id: string;

  @ApiProperty({ example: 'Maria Lopez' })
  name: string;

  @ApiProperty({ enum: ['STAFF'], example: 'STAFF' })
  role: 'STAFF';

  @ApiProperty({
    format: 'uuid',
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Event of the sign-in',
  })
  eventId: string;
}

const TOKEN = {
  description: 'A JWT for `Authorization: Bearer …`',
  example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoiQURNSU4ifQ.c2lnbmF0dXJl',
};

/** The session of an admin or accountant. The token lasts one hour. */
export class AdminSession {
  @ApiProperty(TOKEN)
  accessToken: string;

  @ApiProperty({ type: AdminUser })
  user: AdminUser;
}

/** The session of a staff member. The token lasts twelve hours. */
export class StaffSession {
  @ApiProperty(TOKEN)
  accessToken: string;

  @ApiProperty({ type: StaffUser })
  user: StaffUser;
}

/** Answer of `POST /auth/staff/unlock`. */
export class Unlocked {
  @ApiProperty({ example: true })
  unlocked: true;
}

/** Answer of `POST /auth/logout`. */
export class SignedOut {
  @ApiProperty({ example: true })
  signedOut: true;
}
