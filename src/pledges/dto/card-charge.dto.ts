import { ApiProperty } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { MinorUnits, Text, Whole } from '../../common/validation/field.decorators.js';
import {
  OBSTACLES,
  type BatchRow,
  type CountedState,
  type Obstacle,
  type ReadyRow,
} from '../cards/card-charges.sql.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const SUM = { type: 'integer', format: 'int64', example: 600_000, description: 'Minor units' } as const;
const COUNT = { type: 'integer', example: 12 } as const;

/** Query of `GET /card-charges/ready` and `GET /card-charges`. */
export class CardChargesOfEvent {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}

/** Body of `POST /card-charges`. */
export class StartCardCharges extends CardChargesOfEvent {
  @ApiProperty({ ...COUNT, description: 'Number of pledges that the caller has seen as ready' })
  @Whole(1, 20_000)
  pledges: number;

  @MinorUnits({ example: 600_000, description: 'Their sum; minor units of the currency of the event' })
  total: number;
}

/** An open pledge of a guest with a saved card. */
export class ReadyPledgeDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(SUM)
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  donorName: string | null;

  @ApiProperty({ type: String, nullable: true, example: '117' })
  paddle: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'visa' })
  brand: string | null;

  @ApiProperty({ type: String, nullable: true, example: '4242', description: 'Last digits of the card' })
  last4: string | null;

  @ApiProperty({
    enum: OBSTACLES,
    type: String,
    nullable: true,
    example: null,
    description: 'Reason why the pledge cannot be charged; null if it is ready',
  })
  obstacle: Obstacle | null;
}

export class ReadyPledgeList {
  @ApiProperty({ ...COUNT, description: 'Number of pledges that can be charged' })
  pledges: number;

  @ApiProperty({ ...SUM, description: 'Their sum; minor units of `currency`' })
  total: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: true, description: 'True if a second admin must confirm charges of this sum' })
  needsSecondAdmin: boolean;

  @ApiProperty({ type: [ReadyPledgeDto], description: 'At most 500; those that cannot be charged first' })
  data: ReadyPledgeDto[];
}

/** Charges of a batch in one state, with one reason. */
export class CardChargeStateDto {
  @ApiProperty({ enum: ['announced', 'charging', 'paid', 'failed', 'skipped', 'stopped'], example: 'paid' })
  state: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'authentication_required',
    description: "Reason: the bank's code, or the reason of this service",
  })
  code: string | null;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(SUM)
  sum: number;
}

export class CardBatchDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({
    enum: ['waiting', 'announced', 'done', 'stopped'],
    example: 'announced',
    description:
      '`waiting`: for the confirmation of a second admin. `announced`: each card is charged a day after its notice',
  })
  state: 'waiting' | 'announced' | 'done' | 'stopped';

  @ApiProperty(COUNT)
  pledges: number;

  @ApiProperty(SUM)
  total: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ ...ID, description: 'The admin who started the charges' })
  startedBy: string;

  @ApiProperty({ ...ID, type: String, nullable: true, description: 'The second admin' })
  confirmedBy: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  endedAt: string | null;

  @ApiProperty({ ...COUNT, description: 'Number of pledges whose notice was sent' })
  noticed: number;

  @ApiProperty({
    ...TIME,
    type: String,
    nullable: true,
    description: 'Time of the next charge; null if none is announced, or before the first notice was sent',
  })
  nextChargeAt: string | null;

  @ApiProperty({ type: [CardChargeStateDto] })
  charges: CardChargeStateDto[];
}

export class CardBatchList {
  @ApiProperty({ type: [CardBatchDto], description: 'The newest first, at most 20' })
  data: CardBatchDto[];
}

/** The page on which a guest saves a card. */
export class GuestCardLinkDto {
  @ApiProperty({ example: 'https://donate.example.org/donate/summer-gala/ready?guest=AZk…' })
  url: string;

  @ApiProperty(TIME)
  expiresAt: string;

  @ApiProperty({ example: false, description: 'True if the guest has saved a card' })
  hasCard: boolean;
}

export const toReadyPledge = (row: ReadyRow): ReadyPledgeDto => ({
  id: row.id,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  donorName: row.donor_name,
  paddle: row.paddle,
  brand: row.brand,
  last4: row.last4,
  obstacle: row.obstacle,
});

export function toBatch(row: BatchRow, states: readonly CountedState[]): CardBatchDto {
  const announced = states.find(({ state }) => state === 'announced');
  return {
    id: row.id,
    eventId: row.event_id,
    state: row.state,
    pledges: row.pledges,
    total: toJsonAmount(row.total),
    currency: row.currency,
    startedBy: row.started_by,
    confirmedBy: row.confirmed_by,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    noticed: states.reduce((sum, { noticed }) => sum + noticed, 0),
    nextChargeAt: row.state === 'announced' ? (announced?.next_charge?.toISOString() ?? null) : null,
    charges: states.map(({ state, code, count, sum }) => ({ state, code, count, sum: toJsonAmount(sum) })),
  };
}
