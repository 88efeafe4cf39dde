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
    description: 'Last reported terminal of the member',
  })
  terminalName: string | null;

  @ApiProperty({
    ...OPTIONAL_TIME,
    description: "Last record of the last twelve hours, or last report of the member's terminal",
  })
  lastSeenAt: string | null;

  @ApiProperty({
    ...COUNT,
    description: 'Number of records of the last twelve hours that were paid and count in a total',
  })
  recorded: number;

  @ApiProperty({
    ...MONEY,
    description: "Part of it that counts in the total, in the event's currency, minor units",
  })
  amount: number;

  @ApiProperty({
    ...MONEY,
    description:
      "Pledges of the last twelve hours that are not paid yet, in the event's currency, minor units",
  })
  pledged: number;
}

export class ProviderStateDto {
  @ApiProperty({ example: 'acme_bank' })
  name: string;

  @ApiProperty({ example: true, description: 'True if this server has the keys of the provider' })
  enabled: boolean;

  @ApiProperty({
    enum: ['ok', 'failing', 'unknown'],
    description: '`unknown`: no request was sent to it yet',
  })
  state: 'ok' | 'failing' | 'unknown';

  @ApiProperty({ ...OPTIONAL_TIME, description: 'Last answer, accurate to about ten seconds' })
  lastOkAt: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'Start of the outage' })
  failingSince: string | null;

  @ApiProperty({
    ...OPTIONAL_TIME,
    description: 'Arrival of the latest webhook event with a valid signature',
  })
  lastWebhookAt: string | null;

  @ApiProperty(WEBHOOK_PROBLEM)
  webhookProblem: WebhookProblem | null;

  @ApiProperty({
    type: [String],
    example: ['refund.failed'],
    description: 'Known event types that the webhook endpoint is not subscribed to',
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
  @ApiProperty({ example: '203.0.113.7', description: 'Address, or the /64 network of an IPv6 address' })
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

  @ApiProperty({ type: [DonationDto], description: 'The twenty newest donations that count' })
  recent: DonationDto[];

  @ApiProperty({ type: [StaffOnDto], description: 'Assigned staff, the last active first' })
  staffOn: StaffOnDto[];

  @ApiProperty({ ...COUNT, description: 'Messages that wait for approval' })
  messagesWaiting: number;

  @ApiProperty(COUNT)
  namesWaiting: number;

  @ApiProperty(COUNT)
  tributesWaiting: number;

  @ApiProperty({ ...COUNT, description: 'Open review items of the organization' })
  reviewItems: number;

  @ApiProperty({ ...COUNT, description: 'Shifts without a count' })
  openShifts: number;

  @ApiProperty({
    ...COUNT,
    description: 'Unsent records as reported by terminals of this event or of no event',
  })
  waitingOnTerminals: number;

  @ApiProperty({ type: [ProviderStateDto] })
  providers: ProviderStateDto[];

  @ApiProperty({
    type: [CrowdedAddressDto],
    description:
      'Addresses with many refused requests on this server. One may be the network of the hall; then add it to ' +
      '`TRUSTED_NETWORKS`',
  })
  crowdedAddresses: CrowdedAddressDto[];

  @ApiProperty({
    type: [MinuteDto],
    description: 'The last sixty minutes, of donations created in the last twelve hours',
  })
  perMinute: MinuteDto[];
}
