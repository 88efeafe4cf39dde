import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { ImagePath, imagePathOf } from '../../images/dto/image-path.js';
import { Expected } from '../../common/validation/expected.js';
import {
  Flag,
  Matching,
  OneOf,
  OptionalMinorUnits,
  OptionalText,
  OptionalWhole,
  Text,
  WhenSent,
  Whole,
} from '../../common/validation/field.decorators.js';
import type { Team, TeamKind } from '../../data/generated/client.js';

export const TEAM_KINDS = ['table', 'team', 'person'] as const satisfies readonly TeamKind[];
export const MOST_TEAMS = 500;
const SLUG_LENGTH = 40;
const NAME_LENGTH = 60;
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const ID = { format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
const NAME = { example: 'Table 12' };
const KIND = { example: 'table', enumName: 'TeamKind', enum: TEAM_KINDS };
const NUMBER = { type: 'integer', nullable: true, example: 12, description: 'Number of the table' } as const;
const SEATS = {
  type: 'integer',
  nullable: true,
  example: 10,
  description: 'Number of guests who can give; the board divides by it',
} as const;
const LISTED = { example: true, description: 'False: no public page shows the team' };
const TEXT_FIELD = {
  type: String,
  nullable: true,
  example: 'I run 42 kilometres for the new ward.',
  description: 'Text on the page of a person, `/donate/<event>/<address>`',
};
const IMAGE = {
  type: String,
  nullable: true,
  example: `/images/${'3f'.repeat(32)}.webp`,
  description: 'Picture on the page of a person: path of an uploaded picture, from `POST /images`',
};
const SLUG_FIELD = { example: 'table-12', description: 'Address of the team on the donate page' };

const TeamSlug = () =>
  applyDecorators(
    Text({ max: SLUG_LENGTH }),
    Matching(SLUG, 'must be lower-case letters and digits, in groups joined by single hyphens'),
  );

class TeamDetails {
  @ApiPropertyOptional({ ...SLUG_FIELD, maxLength: SLUG_LENGTH })
  @WhenSent()
  @TeamSlug()
  slug?: string;

  @ApiPropertyOptional(NUMBER)
  @OptionalWhole(1, 9_999)
  number?: number | null;

  @ApiPropertyOptional(SEATS)
  @OptionalWhole(1, 1_000)
  seats?: number | null;

  @ApiPropertyOptional({ description: "Goal in minor units of the event's currency" })
  @OptionalMinorUnits({ example: 100_000 })
  goalAmount?: number | null;

  @ApiPropertyOptional(LISTED)
  @WhenSent()
  @Flag()
  isListed?: boolean;

  @ApiPropertyOptional(TEXT_FIELD)
  @OptionalText({ max: 500, multiline: true })
  text?: string | null;

  @ApiPropertyOptional(IMAGE)
  @ImagePath()
  image?: string | null;
}

/** Body of `POST /events/:id/teams`. */
export class CreateTeam extends TeamDetails {
  @ApiProperty(NAME)
  @Text({ max: NAME_LENGTH })
  name: string;

  @ApiProperty(KIND)
  @OneOf(TEAM_KINDS)
  kind: TeamKind;
}

const BEFORE_NUMBER = { ...NAME, example: 'Table', description: 'Text before the number in the name' };

/** Body of `POST /events/:id/teams/tables`. */
export class CreateTables {
  @ApiProperty({
    type: 'integer',
    example: 60,
    description: 'Number of tables; existing numbers are left out',
  })
  @Whole(1, MOST_TEAMS)
  count: number;

  @ApiProperty(BEFORE_NUMBER)
  @Text({ max: 40 })
  name: string;

  @ApiPropertyOptional({ ...SEATS, description: 'Seats of each table' })
  @OptionalWhole(1, 1_000)
  seats?: number | null;
}

/** Body of `POST /events/:id/teams/tables-of-guests`. */
export class CreateTablesOfGuests {
  @ApiProperty(BEFORE_NUMBER)
  @Text({ max: 40 })
  name: string;
}

/** Body of `PATCH /teams/:id`. */
export class UpdateTeam extends TeamDetails {
  @ApiPropertyOptional(NAME)
  @WhenSent()
  @Text({ max: NAME_LENGTH })
  name?: string;

  @ApiPropertyOptional(KIND)
  @WhenSent()
  @OneOf(TEAM_KINDS)
  kind?: TeamKind;

  @Expected({
    slug: 'string',
    name: 'string',
    kind: 'string',
    number: 'integer',
    seats: 'integer',
    goalAmount: 'integer',
    isListed: 'boolean',
    text: 'string',
    image: 'string',
  })
  expected?: Partial<Record<keyof TeamDetails | 'name' | 'kind', unknown>>;
}

export class TeamDto {
  @ApiProperty(ID) id: string;
  @ApiProperty({ format: 'uuid', example: ID.example }) eventId: string;
  @ApiProperty(SLUG_FIELD) slug: string;
  @ApiProperty(NAME) name: string;
  @ApiProperty(KIND) kind: TeamKind;
  @ApiProperty(NUMBER) number: number | null;
  @ApiProperty(SEATS) seats: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 100_000, description: 'Minor units' })
  goalAmount: number | null;
  @ApiProperty(LISTED) isListed: boolean;
  @ApiProperty(TEXT_FIELD) text: string | null;
  @ApiProperty(IMAGE) image: string | null;
  @ApiProperty({
    type: 'integer',
    example: 125_000,
    description: "Exact sum of the team's donations in the event's currency, less refunds, in minor units",
  })
  raised: number;
  @ApiProperty({ type: 'integer', example: 8, description: 'Donations of the team, in any currency' })
  gifts: number;
  @ApiProperty({ type: 'integer', example: 7, description: 'Donors of the team' })
  givers: number;
}

export class TeamList {
  @ApiProperty({ type: [TeamDto] }) data: TeamDto[];
}

export class DeletedTeam {
  @ApiProperty(ID) id: string;
  @ApiProperty({ example: true }) deleted: boolean;
}

export interface ExactFigures {
  readonly raised: bigint;
  readonly gifts: number;
  readonly givers: number;
}

export const toTeam = (row: Team, { raised, gifts, givers }: ExactFigures): TeamDto => ({
  id: row.id,
  eventId: row.eventId,
  slug: row.slug,
  name: row.name,
  kind: row.kind,
  number: row.number,
  seats: row.seats,
  goalAmount: row.goalAmount === null ? null : toJsonAmount(row.goalAmount),
  isListed: row.isListed,
  text: row.text,
  image: row.image === null ? null : imagePathOf(row.image),
  raised: toJsonAmount(raised),
  gifts,
  givers,
});
