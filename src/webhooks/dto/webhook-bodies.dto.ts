import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { AddressDto } from '../../common/validation/address.dto.js';
import { DONATION_STATUSES, type DonationStatus } from '../../donations/lifecycle/donation-lifecycle.js';
import { DONATION_TYPES, type DonationType } from '../../donations/store/donation-columns.js';
import { EVENT_STATUSES, type EventStatus } from '../../events/event-status.js';
import { POOL_STATUSES, type PoolStatus } from '../../match/pool-status.js';
import { type Basis, BASES } from '../../milestones/reached-basis.js';
import type { WebhookTopic } from '../webhook-topics.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const OPTIONAL_ID = { ...ID, type: String, nullable: true };
const TIME = { format: 'date-time', example: '2026-11-28T20:14:07.312Z' };
const OPTIONAL_TIME = { ...TIME, type: String, nullable: true };
const CURRENCY = { example: 'eur', description: 'ISO 4217, lower case' };
const amount = (example: number, description = 'In minor units') =>
  ({ type: 'integer', example, description }) as const;
const PERSONAL = 'Only for endpoints with `containsPersonalData`';
const optionalText = (example: string) => ({
  type: String,
  nullable: true,
  example,
  description: PERSONAL,
});

class VersionedData {
  @ApiProperty({
    type: 'integer',
    example: 412,
    description:
      'Grows with each change of the object. Ignore a message whose version is lower than the known one',
  })
  version: number;
}

class DataOfEvent extends VersionedData {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ example: 'winter-gala' })
  eventSlug: string;

  @ApiProperty({
    format: 'uri',
    example: 'https://give.example.org/donations?id=0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    description: 'Address in the API of the object, or of a list with it',
  })
  url: string;
}

/** The fields of donations and pledges that only endpoints with personal data get. They are never stored with a message. */
@ApiExtraModels(AddressDto)
export class PersonalWebhookData extends DataOfEvent {
  @ApiPropertyOptional(optionalText('Ada Lovelace'))
  donorName?: string | null;

  @ApiPropertyOptional(optionalText('ada@example.org'))
  donorEmail?: string | null;

  @ApiPropertyOptional({
    anyOf: [{ $ref: getSchemaPath(AddressDto) }, { type: 'null' }],
    description: PERSONAL,
  })
  address?: AddressDto | null;

  @ApiPropertyOptional({ example: false, description: PERSONAL })
  isAnonymous?: boolean;

  @ApiPropertyOptional(optionalText('For the new roof'))
  message?: string | null;

  @ApiPropertyOptional(optionalText('en'))
  locale?: string | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, example: true, description: PERSONAL })
  giftAid?: boolean | null;

  @ApiPropertyOptional(optionalText('117'))
  paddle?: string | null;

  @ApiPropertyOptional(optionalText('2026-000042'))
  receiptNumber?: string | null;

  @ApiPropertyOptional({ type: 'integer', nullable: true, example: 62, description: PERSONAL })
  fee?: number | null;

  @ApiPropertyOptional(optionalText('eur'))
  feeCurrency?: string | null;
}

export class DonationWebhookData extends PersonalWebhookData {
  @ApiProperty(amount(5_000))
  amount: number;

  @ApiProperty(amount(1_500, 'Refunded so far, in minor units'))
  refundedAmount: number;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ enum: DONATION_TYPES, example: 'card' })
  type: DonationType;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'acme_bank',
    description: 'Null for an offline donation',
  })
  provider: string | null;

  @ApiProperty({ enum: DONATION_STATUSES, example: 'COMPLETED' })
  status: DonationStatus;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(OPTIONAL_TIME)
  completedAt: string | null;

  @ApiProperty(TIME)
  updatedAt: string;
}

export const PLEDGE_STATUSES = ['open', 'kept', 'withdrawn'] as const;

export class PledgeWebhookData extends PersonalWebhookData {
  @ApiProperty(amount(50_000, 'Pledged amount in minor units'))
  amount: number;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ enum: PLEDGE_STATUSES, example: 'kept' })
  status: (typeof PLEDGE_STATUSES)[number];

  @ApiProperty({ ...OPTIONAL_ID, description: 'Round of the paddle raise' })
  roundId: string | null;

  @ApiProperty({
    ...OPTIONAL_ID,
    description: 'The donation that paid the pledge: another one if it was paid online, else the same id',
  })
  paidBy: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(TIME)
  updatedAt: string;
}

export class MatchWebhookData extends DataOfEvent {
  @ApiProperty({ enum: POOL_STATUSES })
  status: PoolStatus;

  @ApiProperty(amount(100_000))
  cap: number;

  @ApiProperty(amount(40_000, 'Matched so far'))
  drawn: number;

  @ApiProperty(amount(10_000, 'Kept for open pledges'))
  kept: number;

  @ApiProperty(amount(50_000, '`cap` less `drawn` and `kept`'))
  left: number;

  @ApiProperty(CURRENCY)
  currency: string;
}

export class MilestoneWebhookData extends DataOfEvent {
  @ApiProperty(amount(1_000_000))
  amount: number;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ enum: BASES, description: 'The sum that is compared with `amount`' })
  basis: Basis;

  @ApiProperty(OPTIONAL_TIME)
  reachedAt: string | null;
}

export class EventWebhookData extends VersionedData {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'winter-gala' })
  slug: string;

  @ApiProperty({ enum: EVENT_STATUSES, example: 'closed' })
  status: EventStatus;

  @ApiProperty({ enum: EVENT_STATUSES, example: 'active', description: 'The status before' })
  before: EventStatus;
}

export class ShiftWebhookData extends VersionedData {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ enum: ['closed'] })
  status: 'closed';
}

export class ErasureWebhookData extends VersionedData {
  @ApiProperty({
    type: [String],
    format: 'uuid',
    example: [ID.example],
    description: 'Delete the donor of these donations',
  })
  donationIds: string[];
}

export class TestWebhookData {
  @ApiProperty({ example: 'Test message' })
  message: string;

  @ApiProperty(ID)
  endpointId: string;
}

/** The bodies of all topics: the class of `data`, and when the message is sent. */
export const WEBHOOK_BODIES = {
  'donation.completed': [
    DonationWebhookData,
    'A donation counts: it was recorded, paid online, or a pledge was kept',
  ],
  'donation.updated': [
    DonationWebhookData,
    'A completed donation was corrected: name, anonymity, message or amount',
  ],
  'donation.refunded': [
    DonationWebhookData,
    'The refunded amount of a donation changed, also by a lost dispute',
  ],
  'donation.cancelled': [DonationWebhookData, 'A completed donation no longer counts'],
  'donation.restored': [
    DonationWebhookData,
    'A donation counts again, for example because its refund failed',
  ],
  'pledge.made': [PledgeWebhookData, 'A pledge was recorded'],
  'pledge.kept': [PledgeWebhookData, 'A pledge was paid. The payment has its own `donation.completed`'],
  'pledge.withdrawn': [PledgeWebhookData, 'An open pledge was cancelled or undone'],
  'match.changed': [MatchWebhookData, 'A match pool changed, or a donation has drawn from it'],
  'milestone.reached': [MilestoneWebhookData, 'An announced milestone was reached'],
  'event.status_changed': [EventWebhookData, 'An event was opened, paused, closed or archived'],
  'shift.closed': [ShiftWebhookData, 'A drawer was signed'],
  'donor.erased': [ErasureWebhookData, 'The personal data of a donor was erased'],
  'test.ping': [TestWebhookData, 'Somebody pressed "Send test". It is not repeated'],
} as const satisfies Record<WebhookTopic, readonly [new () => object, string]>;

/** The `data` of a topic. */
export type WebhookData<Topic extends WebhookTopic = WebhookTopic> = InstanceType<
  (typeof WEBHOOK_BODIES)[Topic][0]
>;
