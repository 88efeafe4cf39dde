import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BlankIsAbsent, Id, OneOf, OptionalText, Text } from '../../common/validation/field.decorators.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const OPTIONAL_TIME = { ...TIME, type: String, nullable: true } as const;
const TEXT_LENGTH = 140;
const PLACE_LENGTH = 12;

/** The fixed requests of a till. */
export const REQUEST_KINDS = ['change', 'help', 'record', 'card_reader'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

const KIND = {
  enum: REQUEST_KINDS,
  example: 'change',
  description:
    '`change`: needs change; `help`: needs help; `record`: question about a record; `card_reader`: problem with the card reader',
} as const;
const PLACE = { type: String, nullable: true, example: '12', description: 'Number of the table' } as const;

/** Body of `POST /floor-messages`. Without a receiver, every till of the event shows the message. */
export class SendFloorMessage {
  @ApiPropertyOptional({ example: 'summer-gala', description: 'Event id or slug' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiProperty({ example: 'The auction starts in ten minutes' })
  @Text({ max: TEXT_LENGTH })
  text: string;

  @ApiPropertyOptional({ ...ID, description: 'Only this enrolled terminal shows the message' })
  @BlankIsAbsent()
  @Id()
  terminalId?: string | null;

  @ApiPropertyOptional({
    ...ID,
    description: 'Only the till of this member shows the message; not with `terminalId`',
  })
  @BlankIsAbsent()
  @Id()
  staffId?: string | null;
}

/** Query of `GET /floor-messages`. */
export class ListFloor {
  @ApiPropertyOptional({ example: 'summer-gala', description: 'Event id or slug; required' })
  @OptionalText({ max: 100 })
  eventId?: string | null;
}

/** Body of `POST /floor-requests`. */
export class AskFloor {
  @ApiProperty(KIND)
  @OneOf(REQUEST_KINDS)
  kind: RequestKind;

  @ApiPropertyOptional(PLACE)
  @OptionalText({ max: PLACE_LENGTH })
  place?: string | null;
}

class FloorParty {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'Bar' })
  name: string;
}

class FloorReadingDto {
  @ApiProperty({ type: FloorParty, description: 'The member who pressed "OK"' })
  staff: FloorParty;

  @ApiProperty({ type: FloorParty, nullable: true, description: 'The enrolled terminal, if any' })
  terminal: FloorParty | null;

  @ApiProperty(TIME)
  readAt: string;
}

/** A message of the dashboard to the tills. */
export class FloorMessageDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'The auction starts in ten minutes' })
  text: string;

  @ApiProperty({ type: FloorParty, nullable: true, description: 'The only terminal that shows it' })
  terminal: FloorParty | null;

  @ApiProperty({ type: FloorParty, nullable: true, description: 'The only member who sees it' })
  staff: FloorParty | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ type: String, nullable: true, example: 'Maria Lopez', description: 'Name of the sender' })
  sentBy: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'The tills no longer show it' })
  withdrawnAt: string | null;

  @ApiProperty({ type: [FloorReadingDto], description: 'The tills that have read it, the first ones first' })
  readings: FloorReadingDto[];
}

/** A request of a till, as the dashboard sees it. */
export class FloorRequestDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(KIND)
  kind: RequestKind;

  @ApiProperty(PLACE)
  place: string | null;

  @ApiProperty({ type: FloorParty })
  staff: FloorParty;

  @ApiProperty({ type: FloorParty, nullable: true, description: 'The enrolled terminal, if any' })
  terminal: FloorParty | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(OPTIONAL_TIME)
  seenAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Maria Lopez' })
  seenBy: string | null;

  @ApiProperty(OPTIONAL_TIME)
  closedAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Maria Lopez' })
  closedBy: string | null;
}

/** Answer of `GET /floor-messages`. */
export class FloorOverview {
  @ApiProperty({ type: [FloorMessageDto], description: 'The newest messages, newest first' })
  messages: FloorMessageDto[];

  @ApiProperty({ type: [FloorRequestDto], description: 'The open requests, oldest first' })
  requests: FloorRequestDto[];
}

class InboxMessage {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'The auction starts in ten minutes' })
  text: string;

  @ApiProperty(TIME)
  createdAt: string;
}

/** An own request, as the till sees it. */
export class OwnFloorRequest {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(KIND)
  kind: RequestKind;

  @ApiProperty(PLACE)
  place: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(OPTIONAL_TIME)
  seenAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  closedAt: string | null;
}

/** Answer of `GET /floor-messages/inbox`. */
export class FloorInbox {
  @ApiProperty({ type: [InboxMessage], description: 'The unread messages of the last hours, oldest first' })
  messages: InboxMessage[];

  @ApiProperty({ type: [OwnFloorRequest], description: 'Open requests, and those closed just now' })
  requests: OwnFloorRequest[];
}

/** Answer of `POST /floor-messages/:id/read`. */
export class ReadFloorMessage {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(TIME)
  readAt: string;
}
