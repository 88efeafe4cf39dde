import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Flag, WhenSent, Whole } from '../../../common/validation/field.decorators.js';

const TIME = { format: 'date-time', example: '2026-11-21T18:00:00.000Z' };
const COUNT = { type: 'integer', example: 120 } as const;

/** The size of a played evening, and the shares of the ways to give. Shares are relative to their sum. */
export class PlayProfile {
  @ApiProperty({ example: 200 })
  @Whole(10, 2_000)
  guests: number;

  @ApiProperty({ example: 10 })
  @Whole(1, 60)
  minutes: number;

  @ApiPropertyOptional({ example: 40, default: 40 })
  @WhenSent()
  @Whole(0, 100)
  online = 40;

  @ApiPropertyOptional({ example: 40, default: 40 })
  @WhenSent()
  @Whole(1, 100)
  cash = 40;

  @ApiPropertyOptional({ example: 20, default: 20 })
  @WhenSent()
  @Whole(0, 100)
  pledge = 20;
}

/** Body of `POST /events/:id/rehearsal/play`. */
export class PlayEvening extends PlayProfile {
  @ApiPropertyOptional({
    example: false,
    description:
      'True allows more than two donations per second on the day before an active event; without it the answer is 409',
  })
  @WhenSent()
  @Flag()
  confirm?: boolean;
}

export const STOP_REASONS = ['finished', 'stopped', 'real_donation', 'slow_recording'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Numbers of played gifts, as the answers of the services said. */
export class PlayFigures {
  @ApiProperty(COUNT)
  cash: number;

  @ApiProperty(COUNT)
  pledges: number;

  @ApiProperty({ ...COUNT, description: 'Started payments, with the declined ones' })
  online: number;

  @ApiProperty({ ...COUNT, example: 4 })
  declined: number;

  @ApiProperty({ ...COUNT, example: 2 })
  refunded: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Online gifts without a provider with test keys' })
  leftOut: number;

  @ApiProperty({ ...COUNT, example: 0 })
  errors: number;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Code of the last error' })
  lastError: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: true,
    description:
      'True if the mail server accepted an e-mail to the team; null without an address of the team',
  })
  isMailAccepted: boolean | null;
}

export const NO_FIGURES: Readonly<PlayFigures> = {
  cash: 0,
  pledges: 0,
  online: 0,
  declined: 0,
  refunded: 0,
  leftOut: 0,
  errors: 0,
  lastError: null,
  isMailAccepted: null,
};

export class Percentiles {
  @ApiProperty({
    ...COUNT,
    nullable: true,
    example: 12,
    description: 'Milliseconds; null without a measurement',
  })
  p50: number | null;

  @ApiProperty({ ...COUNT, nullable: true, example: 48 })
  p99: number | null;
}

export class PlayDto {
  @ApiProperty({ type: PlayProfile })
  profile: PlayProfile;

  @ApiProperty(TIME)
  startedAt: string;

  @ApiProperty({ ...TIME, type: String, nullable: true, description: 'Null while the evening is played' })
  endedAt: string | null;

  @ApiProperty({
    enum: STOP_REASONS,
    enumName: 'PlayStopReason',
    nullable: true,
    description: '`real_donation`: an event had a donation; `slow_recording`: records of tills took too long',
  })
  reason: StopReason | null;

  @ApiProperty({ ...COUNT, description: 'Guests who have given' })
  done: number;

  @ApiProperty({ type: PlayFigures })
  figures: PlayFigures;

  @ApiProperty({ type: Percentiles, description: 'Start of a payment' })
  intent: Percentiles;

  @ApiProperty({ type: Percentiles, description: 'Record of a gift' })
  record: Percentiles;

  @ApiProperty({ type: Percentiles, description: 'Time from the record to the message to the walls' })
  wall: Percentiles;
}
