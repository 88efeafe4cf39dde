import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PADDLE } from '../../common/text/paddle.js';
import { Expected } from '../../common/validation/expected.js';
import {
  Flag,
  Id,
  Matching,
  OptionalEmail,
  OptionalText,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import type { Guest as StoredGuest } from '../../data/generated/client.js';

const ID = { format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
const TIME = { format: 'date-time', example: '2026-11-21T18:42:00.000Z' };
const NAME = { example: 'Mary Jones' };
const NAME_LENGTH = 200;

/** An optional paddle number. Blank text and null mean no paddle. */
export const Paddle = () =>
  applyDecorators(OptionalText({ max: 12 }), Matching(PADDLE, 'must be 1 to 12 letters, digits or hyphens'));

/** The id of another guest. Blank text and null mean no guest. */
export const OtherGuest = () => applyDecorators(OptionalText({ max: 36 }), Id());

/** The optional fields of a guest. Null and blank text clear a field. */
class GuestDetails {
  @ApiPropertyOptional({ example: 'mary@example.org' })
  @OptionalEmail()
  email?: string | null;

  @ApiPropertyOptional({ example: '+44 20 7946 0018' })
  @OptionalText({ max: 40 })
  phone?: string | null;

  @ApiPropertyOptional({ example: '12', description: 'Number or name of the table' })
  @OptionalText({ max: 40 })
  table?: string | null;

  @ApiPropertyOptional({ example: '4' })
  @OptionalText({ max: 20 })
  seat?: string | null;

  @ApiPropertyOptional({ example: '117', description: 'Paddle number, unique at the event' })
  @Paddle()
  paddle?: string | null;

  @ApiPropertyOptional({
    ...ID,
    description: 'Guest of the same event whose paddle this guest uses, instead of an own paddle',
  })
  @OtherGuest()
  sharesPaddleWith?: string | null;

  @ApiPropertyOptional({ example: 'Jones', description: 'The same text for guests who come together' })
  @OptionalText({ max: 100 })
  party?: string | null;

  @ApiPropertyOptional({ example: 'Vegetarian', description: 'Note of the team, which volunteers see' })
  @OptionalText({ max: 200 })
  note?: string | null;

  @ApiPropertyOptional({ example: false })
  @WhenSent()
  @Flag()
  isVip?: boolean;

  @ApiPropertyOptional({
    example: false,
    description: 'True if the guest needs help, such as a step-free way',
  })
  @WhenSent()
  @Flag()
  needsHelp?: boolean;
}

/** Body of `POST /events/:id/guests`. */
export class CreateGuest extends GuestDetails {
  @ApiProperty(NAME)
  @Text({ max: NAME_LENGTH })
  name: string;
}

/** Body of `PATCH /guests/:id`. */
export class UpdateGuest extends GuestDetails {
  @ApiPropertyOptional(NAME)
  @WhenSent()
  @Text({ max: NAME_LENGTH })
  name?: string;

  @Expected({
    name: 'string',
    email: 'string',
    phone: 'string',
    table: 'string',
    seat: 'string',
    paddle: 'string',
    sharesPaddleWith: 'string',
    party: 'string',
    note: 'string',
    isVip: 'boolean',
    needsHelp: 'boolean',
  })
  expected?: Readonly<Record<string, unknown>>;
}

const nullable = (description: string, example: string) => ({
  type: 'string' as const,
  nullable: true,
  description,
  example,
});

/** A guest. Volunteers see neither e-mail address nor phone. */
export class GuestDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty(NAME)
  name: string;

  @ApiPropertyOptional({ ...nullable('Only for admins', 'mary@example.org') })
  email?: string | null;

  @ApiPropertyOptional({ ...nullable('Only for admins', '+44 20 7946 0018') })
  phone?: string | null;

  @ApiProperty(nullable('Number or name of the table', '12'))
  table: string | null;

  @ApiProperty(nullable('Seat at the table', '4'))
  seat: string | null;

  @ApiProperty(nullable('Paddle number: the own one, or that of the guest in `sharesPaddleWith`', '117'))
  paddle: string | null;

  @ApiProperty({ ...nullable('Guest whose paddle this guest uses', ID.example), format: 'uuid' })
  sharesPaddleWith: string | null;

  @ApiProperty(
    nullable('Paddle that two phones without network gave to two guests; both guests have this mark', '117'),
  )
  contestedPaddle: string | null;

  @ApiProperty(nullable('The same text for guests who come together', 'Jones'))
  party: string | null;

  @ApiProperty(nullable('Note of the team', 'Vegetarian'))
  note: string | null;

  @ApiProperty({ example: false })
  isVip: boolean;

  @ApiProperty({ example: false })
  needsHelp: boolean;

  @ApiProperty({ ...nullable('Time of the check-in', TIME.example), format: 'date-time' })
  checkedInAt: string | null;

  @ApiProperty(nullable('Volunteer at the check-in; null for an admin', 'Maria Lopez'))
  checkedInBy: string | null;

  @ApiProperty(TIME)
  updatedAt: string;
}

/** The deleted guest. */
export class DeletedGuest {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

/** A stored guest, with the guest whose paddle this guest shares. */
export type GuestRow = StoredGuest & { readonly paddleHolder: { readonly paddle: string | null } | null };

/** Columns to read for a `GuestRow`. */
export const WITH_HOLDER = { paddleHolder: { select: { paddle: true } } } as const;

/** @param isAdmin true adds the e-mail address and the phone */
export const toGuest = (row: GuestRow, isAdmin: boolean): GuestDto => ({
  id: row.id,
  eventId: row.eventId,
  name: row.name,
  ...(isAdmin ? { email: row.email, phone: row.phone } : {}),
  table: row.table,
  seat: row.seat,
  paddle: row.paddle ?? row.paddleHolder?.paddle ?? null,
  sharesPaddleWith: row.sharesPaddleWith,
  contestedPaddle: row.contestedPaddle,
  party: row.party,
  note: row.note,
  isVip: row.isVip,
  needsHelp: row.needsHelp,
  checkedInAt: row.checkedInAt?.toISOString() ?? null,
  checkedInBy: row.checkedInByName,
  updatedAt: row.updatedAt.toISOString(),
});
