import { ApiProperty } from '@nestjs/swagger';
import { DonationDto } from '../../../donations/dto/donation.dto.js';
import { EventDto, EventTotalsDto } from '../../../events/dto/event.dto.js';
import { WEBHOOK_PROBLEM } from '../../../payments/providers/dto/provider-check.dto.js';
import type { WebhookProblem } from '../../../payments/providers/provider-errors.js';

const MONEY = { type: 'integer', format: 'int64', example: 12_500, description: 'Minor units' } as const;
const COUNT = { type: 'integer', example: 4 } as const;
const OPTIONAL_TIME = { type: String, nullable: true, format: 'date-time' } as const;
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' } as const;

export class StaffOnDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  staffId: string;

  @ApiProperty({ example: 'Maria Lopez' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Bar',
    description: 'The terminal they are on, as it said last',
  })
  terminalName: string | null;

  @ApiProperty({
    ...OPTIONAL_TIME,
    description: 'Last record of the last twelve hours, or last sign of their terminal',
  })
  lastSeenAt: string | null;

  @ApiProperty({ ...COUNT, description: 'In the last twelve hours' })
  recorded: number;

  @ApiProperty({ ...MONEY, description: "What of that counts, in the event's currency, minor units" })
  amount: number;
}

export class ProviderStateDto {
  @ApiProperty({ example: 'acme_bank' })
  name: string;

  @ApiProperty({ example: true, description: 'Whether this server has its keys' })
  enabled: boolean;

  @ApiProperty({ enum: ['ok', 'failing', 'unknown'], description: '`unknown`: it was never asked' })
  state: 'ok' | 'failing' | 'unknown';

  @ApiProperty({ ...OPTIONAL_TIME, description: 'When it last answered, to about ten seconds' })
  lastOkAt: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'Since when it gives no answer' })
  failingSince: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'When a webhook event with a good signature last came' })
  lastWebhookAt: string | null;

  @ApiProperty(WEBHOOK_PROBLEM)
  webhookProblem: WebhookProblem | null;

  @ApiProperty({
    type: [String],
    example: ['refund.failed'],
    description: 'Types of event that its webhook endpoint is not subscribed to, as far as is known',
  })
  unsubscribedTypes: string[];
}

export class MinuteDto {
  @ApiProperty(TIME)
  minute: string;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty({ ...MONEY, description: "In the event's currency, minor units" })
  amount: number;
}

export class CrowdedAddressDto {
  @ApiProperty({ example: '203.0.113.7', description: 'Or the /64 network of an IPv6 address' })
  address: string;

  @ApiProperty({ ...COUNT, description: 'Requests of the last ten minutes' })
  refused: number;
}

/** The live view of a running event. */
export class TonightDto {
  @ApiProperty(TIME)
  asOf: string;

  @ApiProperty({ type: EventDto })
  event: EventDto;

  @ApiProperty({ type: EventTotalsDto })
  totals: EventTotalsDto;

  @ApiProperty(MONEY)
  goalAmount: number;

  @ApiProperty({ type: [DonationDto], description: 'The twenty newest that count' })
  recent: DonationDto[];

  @ApiProperty({ type: [StaffOnDto], description: 'Who is assigned, the last active first' })
  staffOn: StaffOnDto[];

  @ApiProperty({ ...COUNT, description: 'Messages that wait for a moderator' })
  messagesWaiting: number;

  @ApiProperty(COUNT)
  namesWaiting: number;

  @ApiProperty({ ...COUNT, description: 'Open review items of the organization' })
  reviewItems: number;

  @ApiProperty({ ...COUNT, description: 'Drawers that are not counted yet' })
  openShifts: number;

  @ApiProperty({
    ...COUNT,
    description: 'Records that terminals of this event, or of none, said they still hold',
  })
  waitingOnTerminals: number;

  @ApiProperty({ type: [ProviderStateDto] })
  providers: ProviderStateDto[];

  @ApiProperty({
    type: [CrowdedAddressDto],
    description:
      'Addresses of which this server refused many requests as too many: perhaps the network of the hall, to be named in ' +
      '`TRUSTED_NETWORKS`',
  })
  crowdedAddresses: CrowdedAddressDto[];

  @ApiProperty({
    type: [MinuteDto],
    description: 'The last sixty minutes; of donations that were begun in the last twelve hours',
  })
  perMinute: MinuteDto[];
}
