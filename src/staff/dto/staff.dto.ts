import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { Allow, ValidateNested } from 'class-validator';
import {
  BlankIsAbsent,
  ListOf,
  Matching,
  QueryFlag,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { Expected } from '../../common/validation/expected.js';
import { KEPT_PIN, LONG_PIN } from '../pins.js';
import type { EventStaff as AssignmentRow, StaffMember as StaffRow } from '../../data/generated/client.js';

const NAME = { example: 'Maria Lopez' };
const CODE = { example: '482913' };
const ID = { format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
const CREATED_AT = { format: 'date-time', example: '2026-11-21T18:00:00.000Z' };

/** An optional PIN. Blank text counts as absent. */
const OptionalPin = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    BlankIsAbsent(),
    Matching(KEPT_PIN, LONG_PIN),
  );

/** Body of `POST /staff`. */
export class CreateStaff {
  @ApiProperty(NAME)
  @Text({ max: 200 })
  name: string;

  @ApiPropertyOptional({
    ...CODE,
    description:
      'The PIN, 6 to 10 digits (from 4 where only enrolled terminals may sign in), unique in the organization; ' +
      'six random digits when left out',
  })
  @OptionalPin()
  code?: string | null;
}

/** A member of `POST /staff/many`. */
export class NewMember {
  @ApiProperty(NAME)
  @Text({ max: 200 })
  name: string;
}

const MOST_AT_ONCE = 100;

/** Body of `POST /staff/many`. */
export class CreateManyStaff {
  @ApiProperty({ type: [NewMember] })
  @ListOf({ max: MOST_AT_ONCE })
  @ValidateNested({ each: true })
  @Type(() => NewMember)
  members: NewMember[];

  @ApiPropertyOptional({ example: 'summer-gala', description: 'Id or slug of the event to assign them to' })
  @BlankIsAbsent()
  @Text({ max: 100 })
  eventId?: string;
}

/** Body of `PUT /staff/:id`. Clients may send `id` and `createdAt` with unchanged values. */
export class UpdateStaff {
  @ApiProperty(NAME)
  @Text({ max: 200 })
  name: string;

  @ApiPropertyOptional({
    ...CODE,
    description: "A new PIN ends the member's sessions",
  })
  @OptionalPin()
  code?: string | null;

  @Expected({ name: 'string', code: 'string' })
  expected?: { readonly name?: string | null; readonly code?: string | null };

  @ApiPropertyOptional({ ...ID, readOnly: true, description: 'Read-only: ignored when unchanged' })
  @Allow()
  id?: string;

  @ApiPropertyOptional({ ...CREATED_AT, readOnly: true, description: 'Read-only: ignored when unchanged' })
  @Allow()
  createdAt?: string;
}

/** Query of the staff lists. */
export class ListStaff {
  @ApiPropertyOptional({
    default: true,
    description: '`false`: returns no PINs, and the audit log records no view of PINs',
  })
  @WhenSent()
  @QueryFlag()
  pins?: boolean;
}

/** A staff member as admins see it. */
export class StaffMember {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({
    ...CODE,
    type: 'string',
    nullable: true,
    description: 'The PIN; null if it was encrypted with another PIN_SECRET and must be replaced',
  })
  code: string | null;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty(CREATED_AT)
  createdAt: string;
}

/** A staff member in a list: without PIN for colleagues, with PIN for admins. */
export class AssignedStaff {
  @ApiProperty(ID)
  id: string;

  @ApiPropertyOptional({
    ...CODE,
    type: 'string',
    nullable: true,
    description: 'The PIN; only for admins, and not with `pins=false`',
  })
  code?: string | null;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty(CREATED_AT)
  createdAt: string;
}

/** Assignment of a member to an event. */
export class Assignment {
  @ApiProperty({ format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' })
  eventId: string;

  @ApiProperty(ID)
  staffId: string;

  @ApiProperty(CREATED_AT)
  createdAt: string;
}

/** The removed member. */
export class Removed {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

/** The view for colleagues, without the PIN. */
export const toColleague = (row: StaffRow): AssignedStaff => ({
  id: row.id,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
});

export const toStaffMember = (row: StaffRow, code: string | null): StaffMember => ({
  id: row.id,
  code,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
});

export const toAssignment = (row: AssignmentRow): Assignment => ({
  eventId: row.eventId,
  staffId: row.staffId,
  createdAt: row.createdAt.toISOString(),
});
