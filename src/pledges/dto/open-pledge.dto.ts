import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import {
  BlankIsAbsent,
  OptionalText,
  QueryInteger,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { EMAIL_STATES, type EmailState } from '../../mail/email-kinds.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const SUM = { type: 'integer', format: 'int64', example: 600_000, description: 'Minor units' } as const;
export const MOST_OPEN_PLEDGES = 200;

export const CONTACT_KINDS = ['pledge_thanks', 'pledge_reminder', 'pledge_last', 'letter'] as const;
export type ContactKind = (typeof CONTACT_KINDS)[number];
export const REACHES = ['email', 'no_address', 'opted_out'] as const;
export const CARD_STATES = ['ready', 'announced', 'charging', 'failed', 'stopped'] as const;
export type CardState = (typeof CARD_STATES)[number];
export type Reach = (typeof REACHES)[number];

class OfEvent {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}

/** Query of `GET /pledges/received`. */
export class PledgesOfEvent extends OfEvent {}

/** Query of `GET /pledges/open`. */
export class ListOpenPledges extends OfEvent {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, MOST_OPEN_PLEDGES)
  limit?: number;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page' })
  @BlankIsAbsent()
  @OptionalText({ max: 100 })
  cursor?: string | null;
}

export class LastContactDto {
  @ApiProperty({ enum: CONTACT_KINDS, example: 'pledge_reminder' })
  kind: ContactKind;

  @ApiProperty({
    enum: EMAIL_STATES,
    type: String,
    nullable: true,
    example: 'sent',
    description: 'State of the e-mail; null for a letter',
  })
  state: EmailState | null;

  @ApiProperty(TIME)
  at: string;
}

export class OpenPledgeDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(SUM)
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  donorName: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.org' })
  donorEmail: string | null;

  @ApiProperty({ type: String, nullable: true, example: '117' })
  paddle: string | null;

  @ApiProperty({ type: String, nullable: true, example: '12', description: 'Table of the guest' })
  table: string | null;

  @ApiProperty(TIME)
  pledgedAt: string;

  @ApiProperty({
    enum: REACHES,
    example: 'email',
    description: '`opted_out`: the donor wants no e-mails about pledges',
  })
  reach: Reach;

  @ApiProperty({
    type: LastContactDto,
    nullable: true,
    description: 'The latest e-mail or letter about the pledge; null if there was none',
  })
  lastContact: LastContactDto | null;

  @ApiProperty({
    enum: CARD_STATES,
    type: String,
    nullable: true,
    example: 'ready',
    description:
      '`ready`: the guest saved a card for this paddle. `announced`, `charging`, `failed`: state of its charge. `stopped`: by the guest. Null: no card',
  })
  cardState: CardState | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'authentication_required',
    description: 'Reason of `failed`, as the bank gave it',
  })
  cardCode: string | null;
}

export class OpenPledgeList {
  @ApiProperty({ type: [OpenPledgeDto], description: 'The largest first' })
  data: OpenPledgeDto[];

  @ApiProperty({ type: 'integer', example: 41 })
  total: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value for the next page; null on the last page',
  })
  nextCursor: string | null;
}

export interface ListedPledgeRow {
  readonly id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly donor_name: string | null;
  readonly donor_email: string | null;
  readonly paddle: string | null;
  readonly table_name: string | null;
  readonly pledged_at: Date;
  readonly kind: ContactKind | null;
  readonly state: EmailState | null;
  readonly at: Date | null;
  readonly opted_out: boolean;
  readonly card_state: CardState | null;
  readonly card_code: string | null;
}

export const toOpenPledge = (row: ListedPledgeRow): OpenPledgeDto => ({
  id: row.id,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  donorName: row.donor_name,
  donorEmail: row.donor_email,
  paddle: row.paddle,
  table: row.table_name,
  pledgedAt: row.pledged_at.toISOString(),
  reach: row.donor_email === null ? 'no_address' : row.opted_out ? 'opted_out' : 'email',
  lastContact:
    row.kind === null || row.at === null
      ? null
      : { kind: row.kind, state: row.state, at: row.at.toISOString() },
  cardState: row.card_state,
  cardCode: row.card_state === 'failed' ? row.card_code : null,
});

export class CountedMoneyDto {
  @ApiProperty({ type: 'integer', example: 50 })
  count: number;

  @ApiProperty(SUM)
  sum: number;
}

export class PledgeShareDto {
  @ApiProperty({
    type: CountedMoneyDto,
    description: 'Pledges, withdrawn ones included, undone ones excluded',
  })
  pledged: CountedMoneyDto;

  @ApiProperty({
    type: CountedMoneyDto,
    description: 'Pledges paid at the till or online, after refunds, at most the pledged amount',
  })
  received: CountedMoneyDto;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.82,
    description: 'Received money as a share of the pledged money, from 0 to 1; null without a pledge',
  })
  share: number | null;
}

export class ReceivedPledgesDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: PledgeShareDto, description: 'All pledges of the event' })
  all: PledgeShareDto;

  @ApiProperty({
    type: PledgeShareDto,
    description: 'Pledges that are at least `afterDays` days old; their share is null if there are none yet',
  })
  old: PledgeShareDto;
}

export class ReceivedPledgesList {
  @ApiProperty({ type: 'integer', example: 30 })
  afterDays: number;

  @ApiProperty({ type: [ReceivedPledgesDto], description: 'One for each currency; empty without a pledge' })
  data: ReceivedPledgesDto[];
}

export interface ReceivedRow {
  readonly currency: string;
  readonly pledged: number;
  readonly pledged_sum: bigint;
  readonly kept: number;
  readonly kept_sum: bigint;
  readonly old_pledged: number;
  readonly old_pledged_sum: bigint;
  readonly old_kept: number;
  readonly old_kept_sum: bigint;
}

export const toReceived = (row: ReceivedRow): ReceivedPledgesDto => ({
  currency: row.currency,
  all: toShare([row.pledged, row.pledged_sum], [row.kept, row.kept_sum]),
  old: toShare([row.old_pledged, row.old_pledged_sum], [row.old_kept, row.old_kept_sum]),
});

type Counted = readonly [count: number, sum: bigint];

const toShare = (pledged: Counted, received: Counted): PledgeShareDto => ({
  pledged: { count: pledged[0], sum: toJsonAmount(pledged[1]) },
  received: { count: received[0], sum: toJsonAmount(received[1]) },
  // Rounded down, so that 100 % means that all the money has arrived.
  share: pledged[1] === 0n ? null : Number((received[1] * 10_000n) / pledged[1]) / 10_000,
});
