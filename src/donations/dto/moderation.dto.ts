import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, OptionalText, QueryInteger, WhenSent } from '../../common/validation/field.decorators.js';
import { Expected } from '../../common/validation/expected.js';
import { TRIBUTE_KINDS, type TributeKind } from '../tributes/tribute.js';
import type { DonationRow, MessageState } from '../store/donation-columns.js';

export const MESSAGE_STATES = ['visible', 'held', 'hidden'] as const satisfies readonly MessageState[];

export class ListMessagesDto {
  @ApiPropertyOptional({
    description: 'Event id or slug; optional for staff, required for admins',
  })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiPropertyOptional({ default: 'held' })
  @WhenSent()
  @OneOf(MESSAGE_STATES)
  state?: MessageState;

  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;
}

/** Body of `POST /donations/:id/moderation`: one or more of the message, the name, the tribute and the card. */
export class ModerateDto {
  @ApiPropertyOptional({ description: '`held`: the message waits for approval again' })
  @WhenSent()
  @OneOf(MESSAGE_STATES)
  message?: MessageState;

  @ApiPropertyOptional({ description: '`held`: the name waits for approval again' })
  @WhenSent()
  @OneOf(MESSAGE_STATES)
  name?: MessageState;

  @ApiPropertyOptional({
    description:
      '`held`: the tribute waits for approval again. The e-mail to the notified person is sent only after the approval',
  })
  @WhenSent()
  @OneOf(MESSAGE_STATES)
  tribute?: MessageState;

  @ApiPropertyOptional({
    description:
      '`visible`: shows a large record that waits (`live.holdFrom`), as a new donation. Not by the person who recorded it: 403 `SECOND_PERSON_REQUIRED`',
  })
  @WhenSent()
  @OneOf(['visible'])
  wall?: 'visible';

  @Expected({
    message: 'string',
    donorName: 'string',
    tributeName: 'string',
    tributeMessage: 'string',
    wall: 'string',
  })
  expected?: {
    /** `held`: refuses the approval if somebody else has approved the record. */
    readonly wall?: string | null;
    readonly message?: string | null;
    readonly donorName?: string | null;
    readonly tributeName?: string | null;
    readonly tributeMessage?: string | null;
  };
}

/** A tribute with its texts, without the address of the notified person. */
export class ModeratedTributeDto {
  @ApiProperty({ enum: TRIBUTE_KINDS, example: 'memory' })
  kind: TributeKind;

  @ApiProperty({ example: 'Anna Bauer' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'We think of you.',
    description: 'Words for the notified person; never on a wall',
  })
  message: string | null;

  @ApiProperty({
    enum: MESSAGE_STATES,
    description: 'Only a visible tribute is shown and sent to the notified person; a held one waits',
  })
  state: MessageState;
}

/**
 * A donor's message, name and tribute with the fields that a moderator needs. Contains no e-mail address and no hidden name.
 */
export class DonorMessageDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f', description: 'Id of the donation' })
  id: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  eventId: string;

  @ApiProperty({ example: 'Ada Lovelace', description: '`Anonymous` if hidden' })
  donorName: string;

  @ApiProperty({ type: String, nullable: true, example: 'For the new roof' })
  message: string | null;

  @ApiProperty({
    enum: MESSAGE_STATES,
    description: 'State of the message. Only a visible message is shown; a held message waits',
  })
  messageState: MessageState;

  @ApiProperty({
    enum: MESSAGE_STATES,
    description: 'State of the name. The wall shows Anonymous unless it is visible',
  })
  nameState: MessageState;

  @ApiPropertyOptional({
    enum: ['held', 'visible'],
    description:
      'Only of a record above `live.holdFrom`. A held record is on no wall; absent for other records',
  })
  wallState?: MessageState;

  @ApiPropertyOptional({ type: ModeratedTributeDto, description: 'Absent without a tribute' })
  tribute?: ModeratedTributeDto;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;
}

export function toDonorMessage(row: DonationRow): DonorMessageDto {
  return {
    id: row.id,
    eventId: row.event_id,
    donorName: row.is_anonymous ? 'Anonymous' : (row.donor_name ?? 'Anonymous'),
    message: row.message,
    messageState: row.message_state,
    nameState: row.name_state,
    ...(row.wall_state !== null && { wallState: row.wall_state }),
    ...(row.tribute && {
      tribute: {
        kind: row.tribute.kind,
        name: row.tribute.name,
        message: row.tribute.message,
        state: row.tribute_state ?? 'visible',
      },
    }),
    createdAt: row.created_at.toISOString(),
  };
}
