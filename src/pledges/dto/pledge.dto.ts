import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Ids, MinorUnits, OptionalText } from '../../common/validation/field.decorators.js';
import { toJsonAmount } from '../../common/money/money.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };

/** Body of `POST /pledge-rounds`. */
export class OpenPledgeRound {
  @MinorUnits({
    example: 50_000,
    description: "Amount of each pledge in this round; minor units of the event's currency",
  })
  amount: number;

  @ApiPropertyOptional({ description: 'Event id or slug; the event of the token by default' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiPropertyOptional({ example: 'A new minibus' })
  @OptionalText({ max: 100 })
  name?: string | null;
}

export class ListPledgeRounds {
  @ApiPropertyOptional({ description: 'Event id or slug; the event of the token by default' })
  @OptionalText({ max: 100 })
  eventId?: string | null;
}

export class PledgeRoundDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ type: 'integer', format: 'int64', example: 50_000 })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: String, nullable: true, example: 'A new minibus' })
  name: string | null;

  @ApiProperty({ enum: ['open', 'closed'] })
  status: 'open' | 'closed';

  @ApiProperty({
    type: 'integer',
    example: 12,
    description: 'Number of pledges that were not withdrawn, paid ones included',
  })
  count: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 600_000, description: 'Sum of their amounts' })
  sum: number;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  closedAt: string | null;
}

export class PledgeRoundList {
  @ApiProperty({ type: [PledgeRoundDto], description: 'Newest first' })
  data: PledgeRoundDto[];
}

export class PaymentLink {
  @ApiProperty({
    example:
      'https://give.example.org/donate/summer-gala?pledge=AZjzwnoQfE6fAFo9HCtObxq0v5ZJm2n8sR4tYw1cK3eU7dPg',
  })
  url: string;

  @ApiProperty(TIME)
  expiresAt: string;
}

/** A pledge round with the sum of its pledges. */
export interface PledgeRoundRow {
  readonly id: string;
  readonly event_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly name: string | null;
  readonly created_at: Date;
  readonly closed_at: Date | null;
  readonly pledges: number;
  readonly promised: bigint;
}

export const toPledgeRound = (row: PledgeRoundRow): Pick<PledgeRoundDto, keyof PledgeRoundDto> => ({
  id: row.id,
  eventId: row.event_id,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  name: row.name,
  status: row.closed_at === null ? 'open' : 'closed',
  count: row.pledges,
  sum: toJsonAmount(row.promised),
  createdAt: row.created_at.toISOString(),
  closedAt: row.closed_at?.toISOString() ?? null,
});

const MOST_REMINDERS = 200;

/** Body of `POST /pledges/reminders`. */
export class SendPledgeReminders {
  @ApiProperty({ type: [String], description: 'Ids of the pledges', example: [ID.example] })
  @Ids({ max: MOST_REMINDERS })
  donationIds: string[];
}

export class SkippedPledge {
  @ApiProperty(ID)
  donationId: string;

  @ApiProperty({
    example: 'DONOR_EMAIL_MISSING',
    description:
      '`DONATION_NOT_FOUND`, `DONOR_EMAIL_MISSING`, `DONOR_OPTED_OUT`, `PLEDGE_REMINDED`, `PLEDGE_NOT_OPEN`, ' +
      '`PLEDGE_NOT_PAYABLE` or `EVENT_TAKES_NO_DONATIONS`',
  })
  code: string;

  @ApiProperty({ example: 'The donation has no e-mail address' })
  message: string;
}

export class PledgeRemindersDto {
  @ApiProperty({
    type: 'integer',
    example: 12,
    description:
      'Number of pledges with a queued reminder. All pledges of a donor at an event share one e-mail',
  })
  queued: number;

  @ApiProperty({
    ...TIME,
    type: String,
    nullable: true,
    example: null,
    description:
      'Time at which the last of these e-mails is sent, if it is between 20:00 and 08:00 at an event',
  })
  waitsUntil: string | null;

  @ApiProperty({ type: [SkippedPledge], description: 'Pledges without a reminder' })
  skipped: SkippedPledge[];
}
