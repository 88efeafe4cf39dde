import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AuditEntryDto, NamesField } from '../../../audit/dto/audit.dto.js';
import { ACTOR_KINDS } from '../../../common/access/principal.js';
import { DonationDto } from '../../../donations/dto/donation.dto.js';
import { HistoryEntryDto } from '../../../donations/dto/history.dto.js';
import { EmailDto } from '../../../mail/dto/email.dto.js';
import { ReviewItemDto } from '../../review/dto/review-item.dto.js';

const nullable = (description: string, example: string | null = null) =>
  ({ type: String, nullable: true, description, example }) as const;
const MONEY = { type: 'integer', format: 'int64', example: 2500, description: 'Minor units' } as const;
const OPTIONAL_MONEY = { ...MONEY, nullable: true } as const;
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' } as const;
const OPTIONAL_TIME = { type: String, nullable: true, format: 'date-time', example: null } as const;

/** Identifies the payment of an online donation at the provider. */
export class StoryPaymentDto {
  @ApiProperty({ example: 'acme_bank' })
  provider: string;

  @ApiProperty(nullable("The provider's payment object", 'pi_3Qk'))
  paymentId: string | null;

  @ApiProperty(nullable("The provider's money movement", 'ch_3Qk'))
  captureId: string | null;

  @ApiProperty({ ...OPTIONAL_MONEY, description: 'Provider fee; null until it is known' })
  fee: number | null;

  @ApiProperty(nullable("Currency of the charity's account at the provider", 'eur'))
  feeCurrency: string | null;

  @ApiPropertyOptional({ example: 'https://dashboard.example.com/payments/pi_3Qk' })
  dashboardUrl?: string;
}

export class StoryWebhookEventDto {
  @ApiProperty({ example: 'acme_bank' })
  provider: string;

  @ApiProperty({ example: 'evt_1Qk' })
  eventId: string;

  @ApiProperty({ example: 'payment.paid' })
  kind: string;

  @ApiProperty({ example: 'booked' })
  outcome: string;

  @ApiProperty(TIME)
  receivedAt: string;
}

export class StoryRefundDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty(nullable('Null if the refund was made manually', 'acme_bank'))
  provider: string | null;

  @ApiProperty(nullable("The provider's refund", 're_3Qk'))
  providerRefundId: string | null;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ enum: ['requested', 'pending', 'succeeded', 'failed', 'cancelled'] })
  status: string;

  @ApiProperty(nullable('Reason given by the person who requested it'))
  reason: string | null;

  @ApiProperty({ enum: ACTOR_KINDS, example: 'admin' })
  actor: string;

  @ApiProperty(nullable('Id of the person who requested it'))
  actorId: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(TIME)
  updatedAt: string;
}

export class StoryDisputeDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ example: 'acme_bank' })
  provider: string;

  @ApiProperty({ example: 'dp_3Qk' })
  providerDisputeId: string;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ enum: ['open', 'won', 'lost'] })
  status: string;

  @ApiProperty(nullable('Status in the words of the provider', 'needs_response'))
  providerStatus: string | null;

  @ApiProperty(nullable("The provider's reason", 'fraudulent'))
  reason: string | null;

  @ApiProperty({ example: false, description: 'True for an inquiry that has moved no money' })
  isInquiry: boolean;

  @ApiProperty({ example: true })
  needsAnswer: boolean;

  @ApiProperty(OPTIONAL_TIME)
  dueBy: string | null;

  @ApiProperty(OPTIONAL_MONEY)
  fee: number | null;

  @ApiProperty(nullable('Of the fee'))
  feeCurrency: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(TIME)
  updatedAt: string;
}

export class StoryReceiptDto {
  @ApiProperty({ example: '2026-000042' })
  number: string;

  @ApiProperty(TIME)
  issuedAt: string;

  @ApiProperty(nullable('The number of the receipt that it replaced'))
  replaces: string | null;

  @ApiProperty({
    ...OPTIONAL_TIME,
    description: 'Time at which another receipt replaced it; it is void since then',
  })
  replacedAt: string | null;
}

export class StoryPayoutDto {
  @ApiProperty({ example: 'po_3Qk' })
  payoutId: string;

  @ApiProperty({ example: 'paid' })
  status: string;

  @ApiProperty(TIME)
  arrivesAt: string;

  @ApiProperty({ example: 'payment' })
  kind: string;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty(MONEY)
  fee: number;

  @ApiProperty(MONEY)
  net: number;

  @ApiProperty({ example: 'eur' })
  currency: string;
}

/** All stored facts about a donation, read in one snapshot. */
export class DonationStoryDto {
  @ApiProperty({ type: DonationDto })
  donation: DonationDto;

  @ApiProperty({ type: StoryPaymentDto, nullable: true, description: 'Null for an offline donation' })
  payment: StoryPaymentDto | null;

  @ApiProperty({ type: [HistoryEntryDto] })
  history: HistoryEntryDto[];

  @ApiProperty({ type: [StoryWebhookEventDto], description: 'Kept for 90 days' })
  webhookEvents: StoryWebhookEventDto[];

  @ApiProperty({ type: [StoryRefundDto] })
  refunds: StoryRefundDto[];

  @ApiProperty({ type: [StoryDisputeDto] })
  disputes: StoryDisputeDto[];

  @ApiProperty({ type: [StoryReceiptDto] })
  receipts: StoryReceiptDto[];

  @ApiProperty({ type: [EmailDto], description: 'E-mails to the donor, sent or queued' })
  emails: EmailDto[];

  @ApiProperty({ type: [StoryPayoutDto], description: 'Payouts that contain its money' })
  payouts: StoryPayoutDto[];

  @ApiProperty({ type: [ReviewItemDto] })
  reviewItems: ReviewItemDto[];

  @ApiProperty({ type: [AuditEntryDto] })
  audit: AuditEntryDto[];

  @NamesField()
  names: Record<string, string>;
}
