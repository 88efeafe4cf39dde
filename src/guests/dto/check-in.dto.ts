import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Flag,
  Id,
  Instant,
  OptionalEmail,
  OptionalText,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { GuestDto, OtherGuest, Paddle } from './guest.dto.js';

const AT = {
  example: '2026-11-21T18:42:00.000Z',
  description:
    "Time by the phone's clock, for a check-in that waited for the network. It cannot be refused: if two phones gave one " +
    'paddle to two guests, the earlier check-in keeps it and both guests get `contestedPaddle`. Without `at`, a paddle ' +
    'of another guest is 409 `PADDLE_TAKEN`.',
};

/** Body of `POST /guests/:id/check-in`. All fields are optional. */
export class CheckIn {
  @ApiPropertyOptional(AT)
  @BlankIsAbsent()
  @Instant()
  at?: string;

  @ApiPropertyOptional({ example: '117', description: 'Paddle that the guest gets' })
  @Paddle()
  paddle?: string | null;

  @ApiPropertyOptional({
    example: true,
    description: 'True: the guest gets the lowest free number, unless the guest has a paddle',
  })
  @WhenSent()
  @Flag()
  nextPaddle?: boolean;

  @ApiPropertyOptional({ description: 'Guest whose paddle this guest uses too' })
  @OtherGuest()
  sharesPaddleWith?: string | null;
}

/** Body of `POST /events/:id/guests/walk-ins`. */
export class WalkIn extends CheckIn {
  @ApiProperty({
    format: 'uuid',
    example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2',
    description: 'Random id that the phone chose. A repeat with the same id adds no second guest',
  })
  @Id()
  id: string;

  @ApiProperty({ example: 'Mary Jones' })
  @Text({ max: 200 })
  name: string;

  @ApiPropertyOptional({ example: 'mary@example.org' })
  @OptionalEmail()
  email?: string | null;

  @ApiPropertyOptional({ example: '12' })
  @OptionalText({ max: 40 })
  table?: string | null;
}

/** An earlier check-in of the same guest. */
export class EarlierCheckIn {
  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:42:00.000Z' })
  at: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Maria Lopez',
    description: 'Volunteer; null for an admin',
  })
  by: string | null;
}

/** Answer of a check-in. */
export class CheckedIn {
  @ApiProperty({ type: GuestDto })
  guest: GuestDto;

  @ApiProperty({
    type: EarlierCheckIn,
    nullable: true,
    description: 'An earlier check-in of the guest by another request; null if this is the first one',
  })
  alreadyIn: EarlierCheckIn | null;
}
