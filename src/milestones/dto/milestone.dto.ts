import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { Expected } from '../../common/validation/expected.js';
import {
  Flag,
  MinorUnits,
  OneOf,
  OptionalText,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { ImagePath, imagePathOf } from '../../images/dto/image-path.js';
import type { ShownMilestone } from '../../gateway/live-messages.js';
import { type Basis, BASES, reachedBasis, type Sums } from '../reached-basis.js';

export const MOST_MILESTONES = 24;
const KINDS = ['step', 'moment'] as const;
type Kind = (typeof KINDS)[number];
const ANNOUNCEMENTS = ['by_itself', 'by_hand'] as const;
type Announcement = (typeof ANNOUNCEMENTS)[number];

const TITLE = 64;
const SHORT = 32;
const TEXT = 280;
const REASON = 280;

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const NO_TIME = { ...TIME, type: String, nullable: true, example: null };
const IMAGE = {
  example: `/images/${'3f'.repeat(32)}.webp`,
  description: 'Path of an uploaded picture, from `POST /images`',
};
const AMOUNT = { example: 5_000_000, description: "Minor units of the event's currency" };
const BASIS = {
  description:
    'The sum that is compared with `amount`: `raised`; `with_promises` adds the unpaid pledges; `with_matches` adds the sum of match pools that the matchers have not paid yet',
};
const KIND = {
  description:
    '`step`: a mark of the thermometer; `moment`: only the scene on the walls, without a mark before it',
};
const ANNOUNCE = {
  description:
    '`by_itself`: the walls show the milestone when it is reached; `by_hand`: after `POST /milestones/:id/announce`',
};
const TITLE_FIELD = { example: 'The band plays' };
const SHORT_FIELD = { type: String, nullable: true, example: 'Band', description: 'For narrow places' };
const TEXT_FIELD = { type: String, nullable: true, example: 'The Harbour Quartet plays on the small stage.' };

/** Body of `POST /events/:id/milestones`. */
export class CreateMilestone {
  @MinorUnits(AMOUNT)
  amount: number;

  @ApiProperty(TITLE_FIELD)
  @Text({ max: TITLE })
  title: string;

  @ApiPropertyOptional(SHORT_FIELD)
  @OptionalText({ max: SHORT })
  short?: string | null;

  @ApiPropertyOptional(TEXT_FIELD)
  @OptionalText({ max: TEXT, multiline: true })
  text?: string | null;

  @ApiPropertyOptional({ ...BASIS, default: 'raised' })
  @WhenSent()
  @OneOf(BASES)
  basis?: Basis;

  @ApiPropertyOptional({ ...KIND, default: 'step' })
  @WhenSent()
  @OneOf(KINDS)
  kind?: Kind;

  @ApiPropertyOptional({ default: true, description: 'False: guests do not see it' })
  @WhenSent()
  @Flag()
  isVisible?: boolean;

  @ApiPropertyOptional({ ...ANNOUNCE, default: 'by_itself' })
  @WhenSent()
  @OneOf(ANNOUNCEMENTS)
  announce?: Announcement;

  @ApiPropertyOptional(IMAGE)
  @ImagePath()
  image?: string | null;

  @ApiPropertyOptional({
    default: false,
    description: 'True: if the sum is at the amount already, the walls show the milestone now',
  })
  @WhenSent()
  @Flag()
  announceNow?: boolean;
}

/** Body of `PATCH /milestones/:id`. */
export class UpdateMilestone {
  @ApiPropertyOptional()
  @WhenSent()
  @MinorUnits(AMOUNT)
  amount?: number;

  @ApiPropertyOptional(TITLE_FIELD)
  @WhenSent()
  @Text({ max: TITLE })
  title?: string;

  @ApiPropertyOptional(SHORT_FIELD)
  @OptionalText({ max: SHORT })
  short?: string | null;

  @ApiPropertyOptional(TEXT_FIELD)
  @OptionalText({ max: TEXT, multiline: true })
  text?: string | null;

  @ApiPropertyOptional(BASIS)
  @WhenSent()
  @OneOf(BASES)
  basis?: Basis;

  @ApiPropertyOptional(KIND)
  @WhenSent()
  @OneOf(KINDS)
  kind?: Kind;

  @ApiPropertyOptional()
  @WhenSent()
  @Flag()
  isVisible?: boolean;

  @ApiPropertyOptional(ANNOUNCE)
  @WhenSent()
  @OneOf(ANNOUNCEMENTS)
  announce?: Announcement;

  @ApiPropertyOptional(IMAGE)
  @ImagePath()
  image?: string | null;

  @Expected({
    amount: 'integer',
    title: 'string',
    short: 'string',
    text: 'string',
    basis: 'string',
    kind: 'string',
    isVisible: 'boolean',
    announce: 'string',
    image: 'string',
  })
  expected?: Readonly<Record<string, unknown>>;
}

/** Body of `POST /milestones/:id/withdraw`. */
export class WithdrawMilestone {
  @ApiProperty({ example: 'A cash record had a zero too many' })
  @Text({ max: REASON })
  reason: string;
}

/** Body of `POST /milestones/:id/done`. */
export class MarkMilestone {
  @ApiPropertyOptional({ default: true, description: 'False removes the mark' })
  @WhenSent()
  @Flag()
  done?: boolean;
}

export class ListMilestones {
  @ApiPropertyOptional({ description: 'Event id or slug; the event of the token by default' })
  @OptionalText({ max: 100 })
  eventId?: string | null;
}

export class MilestoneDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ type: 'integer', format: 'int64', ...AMOUNT })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ enum: BASES, ...BASIS })
  basis: Basis;

  @ApiProperty({ enum: KINDS, ...KIND })
  kind: Kind;

  @ApiProperty(TITLE_FIELD)
  title: string;

  @ApiProperty(SHORT_FIELD)
  short: string | null;

  @ApiProperty(TEXT_FIELD)
  text: string | null;

  @ApiProperty({ type: String, nullable: true, ...IMAGE })
  image: string | null;

  @ApiProperty({ example: true })
  isVisible: boolean;

  @ApiProperty({ enum: ANNOUNCEMENTS, ...ANNOUNCE })
  announce: Announcement;

  @ApiProperty({ example: false, description: 'True if the milestone is at the goal of the event' })
  isGoal: boolean;

  @ApiProperty({ ...NO_TIME, description: 'Time at which the sum reached the amount' })
  reachedAt: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    nullable: true,
    example: null,
    description: 'The sum at that time',
  })
  reachedTotal: number | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: null,
    description: 'False if the sum fell below the amount after it was reached; null before',
  })
  heldNow: boolean | null;

  @ApiProperty({ ...NO_TIME, description: 'Time of the message to the walls' })
  announcedAt: string | null;

  @ApiProperty({ ...NO_TIME, description: 'Time at which the team marked the promise as done' })
  doneAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Id of the user who marked it' })
  doneBy: string | null;

  @ApiProperty({ ...NO_TIME, description: 'Time of the last withdrawal' })
  withdrawnAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  withdrawalReason: string | null;

  @ApiProperty(TIME)
  createdAt: string;
}

export class MilestoneList {
  @ApiProperty({ type: [MilestoneDto], description: 'Lowest first' })
  data: MilestoneDto[];
}

/** A milestone as guests see it. */
export class PublicMilestoneDto implements ShownMilestone {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(TITLE_FIELD)
  title: string;

  @ApiPropertyOptional({ example: 'Band', description: 'Absent without a short title' })
  short?: string;

  @ApiPropertyOptional({ ...TEXT_FIELD, nullable: false, description: 'Absent without a text' })
  text?: string;

  @ApiProperty({ type: 'integer', format: 'int64', ...AMOUNT })
  amount: number;

  @ApiProperty({ enum: BASES, ...BASIS })
  basis: Basis;

  @ApiProperty({ enum: KINDS, ...KIND })
  kind: Kind;

  @ApiPropertyOptional({ ...IMAGE, description: 'Path of the picture; absent without one' })
  image?: string;

  @ApiProperty({ example: false, description: 'False until the announcement if the team announces it' })
  isReached: boolean;

  @ApiProperty({ example: false, description: 'True if the milestone is at the goal of the event' })
  isGoal: boolean;
}

export class PublicMilestoneList {
  @ApiProperty({ type: [PublicMilestoneDto], description: 'Lowest first' })
  data: PublicMilestoneDto[];
}

export class DeletedMilestone {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: boolean;
}

export interface MilestoneRow {
  readonly id: string;
  readonly event_id: string;
  readonly amount: bigint;
  readonly basis: Basis;
  readonly kind: Kind;
  readonly title: string;
  readonly short: string | null;
  readonly text: string | null;
  /** Digest of the picture. */
  readonly image: string | null;
  readonly is_visible: boolean;
  readonly announce: Announcement;
  readonly reached_at: Date | null;
  readonly reached_total: bigint | null;
  readonly announced_at: Date | null;
  readonly done_at: Date | null;
  readonly done_by_id: string | null;
  readonly withdrawn_at: Date | null;
  readonly withdrawal_reason: string | null;
  readonly created_at: Date;
  readonly currency: string;
  readonly goal_amount: bigint;
}

const isGoal = ({ amount, basis, goal_amount }: MilestoneRow): boolean =>
  basis === 'raised' && amount === goal_amount;

/** True if the sum of the milestone's basis is at its amount. */
export const isHeld = ({ amount, basis }: Pick<MilestoneRow, 'amount' | 'basis'>, sums: Sums): boolean =>
  amount <= reachedBasis(sums)[basis];

export const toMilestone = (row: MilestoneRow, sums: Sums): Pick<MilestoneDto, keyof MilestoneDto> => ({
  id: row.id,
  eventId: row.event_id,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  basis: row.basis,
  kind: row.kind,
  title: row.title,
  short: row.short,
  text: row.text,
  image: row.image === null ? null : imagePathOf(row.image),
  isVisible: row.is_visible,
  announce: row.announce,
  isGoal: isGoal(row),
  reachedAt: row.reached_at?.toISOString() ?? null,
  reachedTotal: row.reached_total === null ? null : toJsonAmount(row.reached_total),
  heldNow: row.reached_at === null ? null : isHeld(row, sums),
  announcedAt: row.announced_at?.toISOString() ?? null,
  doneAt: row.done_at?.toISOString() ?? null,
  doneBy: row.done_by_id,
  withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
  withdrawalReason: row.withdrawal_reason,
  createdAt: row.created_at.toISOString(),
});

/** A milestone that the team announces is not reached for guests before its announcement. */
export const toPublicMilestone = (row: MilestoneRow): Pick<PublicMilestoneDto, keyof PublicMilestoneDto> => ({
  id: row.id,
  title: row.title,
  ...(row.short !== null && { short: row.short }),
  ...(row.text !== null && { text: row.text }),
  amount: toJsonAmount(row.amount),
  basis: row.basis,
  kind: row.kind,
  ...(row.image !== null && { image: imagePathOf(row.image) }),
  isReached: row.reached_at !== null && (row.announce === 'by_itself' || row.announced_at !== null),
  isGoal: isGoal(row),
});
