import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Expected } from '../../common/validation/expected.js';
import { BlankIsAbsent, Id, OptionalText, Text, Whole } from '../../common/validation/field.decorators.js';
import type { Event, StaffMember, Terminal } from '../../data/generated/client.js';

const NAME = { example: 'Table 4' };
const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const MOST_WAITING = 1_000_000;

/** Body of `POST /terminals/codes`. */
export class CreateTerminalCode {
  @ApiProperty({ ...NAME, description: 'Name of the terminal' })
  @Text({ max: 100 })
  name: string;

  @ApiPropertyOptional({
    example: 'summer-gala',
    description: 'Id or slug of the default event; members can sign in to other events on it',
  })
  @OptionalText({ max: 100 })
  eventId?: string | null;
}

export class TerminalCode {
  @ApiProperty({ example: 'K7QM-2XFD-9TRA', description: 'Valid once' })
  code: string;

  @ApiProperty({
    example: 'https://give.example.org/pos#enrol=K7QM-2XFD-9TRA',
    description: 'Address for a QR code; the terminal that opens it is enrolled',
  })
  enrolUrl: string;

  @ApiProperty(TIME)
  expiresAt: string;
}

/** Body of `POST /terminals/enrol`. */
export class EnrolTerminal {
  @ApiProperty({ example: 'K7QM-2XFD-9TRA', description: 'Case-insensitive, with or without hyphens' })
  @Text({ max: 40 })
  code: string;
}

/** Body of `PATCH /terminals/:id`. */
export class RenameTerminal {
  @ApiProperty(NAME)
  @Text({ max: 100 })
  name: string;

  @Expected({ name: 'string' })
  expected?: { readonly name?: unknown };
}

class OwnTerminal {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty({ ...ID, type: String, nullable: true, description: 'Default event of the terminal' })
  eventId: string | null;
}

export class Enrolment {
  @ApiProperty({ type: OwnTerminal })
  terminal: OwnTerminal;

  @ApiProperty({
    example: 'AZjzwnoQfE6fAFo9HCtObxq0v5ZJm2n8sR4tYw1cK3eU7dPgHlVqXa9bNfM6iSjO',
    description: 'The `X-Device-Token` of this terminal; shown only once',
  })
  deviceToken: string;
}

class TerminalStaff {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'Maria Lopez' })
  name: string;
}

class TerminalEvent {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'summer-gala' })
  slug: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;
}

/** An enrolled terminal, as admins see it. */
export class TerminalDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  lastUsedAt: string | null;

  @ApiProperty({ type: TerminalStaff, nullable: true, description: 'Last reported member on the terminal' })
  staff: TerminalStaff | null;

  @ApiProperty({ type: TerminalEvent, nullable: true, description: 'Default event of the terminal' })
  event: TerminalEvent | null;

  @ApiProperty({ type: 'integer', example: 0, description: 'Last reported number of waiting records' })
  waiting: number;

  @ApiProperty({ type: String, nullable: true, example: '1.4.0' })
  appVersion: string | null;

  @ApiProperty({
    ...TIME,
    type: String,
    nullable: true,
    description: 'Time of the release. For one day, any signed-in member may send earlier records of others',
  })
  releasedAt: string | null;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  revokedAt: string | null;
}

export class TerminalList {
  @ApiProperty({ type: [TerminalDto], description: 'Terminals in use first, sorted by name' })
  data: TerminalDto[];
}

export class RevokedTerminal {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

/** Body of `POST /terminals/heartbeat`. */
export class Heartbeat {
  @ApiProperty({ example: 3, description: 'Number of waiting records' })
  @Whole(0, MOST_WAITING)
  waiting: number;

  @ApiPropertyOptional({ example: '1.4.0' })
  @OptionalText({ max: 100 })
  appVersion?: string | null;

  @ApiPropertyOptional({
    ...ID,
    description: 'Id of the signed-in member; ignored if the member did not sign in on this terminal',
  })
  @BlankIsAbsent()
  @Id()
  staffId?: string | null;
}

class HeartbeatTerminal {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(NAME)
  name: string;
}

class ReleaseInForce {
  @ApiProperty({ ...TIME, description: 'Records taken before may be sent with `takenBy`' })
  before: string;
}

class OfferedRehearsal {
  @ApiProperty({ ...ID, description: 'The event of the rehearsal' })
  eventId: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;
}

export class HeartbeatAnswer {
  @ApiProperty({ type: HeartbeatTerminal })
  terminal: HeartbeatTerminal;

  @ApiProperty(TIME)
  serverTime: string;

  @ApiProperty({ type: ReleaseInForce, nullable: true })
  release: ReleaseInForce | null;

  @ApiProperty({
    type: OfferedRehearsal,
    nullable: true,
    description:
      'The rehearsal that this terminal can join: of its event, or the newest for a terminal without an event',
  })
  rehearsal: OfferedRehearsal | null;
}

export type TerminalRow = Terminal & {
  readonly staff: Pick<StaffMember, 'id' | 'name'> | null;
  readonly event: Pick<Event, 'id' | 'slug' | 'name'> | null;
};

export const toTerminal = (row: TerminalRow): TerminalDto => ({
  id: row.id,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  staff: row.staff && { id: row.staff.id, name: row.staff.name },
  event: row.event && { id: row.event.id, slug: row.event.slug, name: row.event.name },
  waiting: row.waiting,
  appVersion: row.appVersion,
  releasedAt: row.releasedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});
