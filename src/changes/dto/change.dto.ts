import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { OptionalText, QueryInteger, SomeOf, WhenSent } from '../../common/validation/field.decorators.js';
import { SharedDonationDto } from '../../donations/dto/donation.dto.js';

export const CHANGE_TYPES = [
  'donation.created',
  'donation.updated',
  'donation.retracted',
  'pledge.round',
  'match.changed',
  'milestone.reached',
] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

const EXAMPLE_ID = '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11';
const CURSOR = 'MS40NzExLjE3NjQwMDAwMDAwMDA';

/** Query of `GET /changes`. */
export class ListChanges {
  @ApiPropertyOptional({
    example: CURSOR,
    description: '`next` of the last answer; without it, the answer has no data and `next` is the present',
  })
  @OptionalText({ max: 100 })
  after?: string | null;

  @ApiPropertyOptional({ description: `One or several, separated by commas: ${CHANGE_TYPES.join(', ')}` })
  @WhenSent()
  @SomeOf(CHANGE_TYPES)
  topics?: ChangeType[];

  @ApiPropertyOptional({ default: 100 })
  @WhenSent()
  @QueryInteger(1, 500)
  limit?: number;

  @ApiPropertyOptional({
    default: 0,
    description:
      'Seconds to wait for a change if there is none. The answer can come earlier, also without a change',
  })
  @WhenSent()
  @QueryInteger(0, 25)
  wait?: number;
}

/** The subject of a change that is not a donation. */
export class ChangedSubject {
  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID, description: 'Id of the round, pool or milestone' })
  id: string;

  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID })
  eventId: string;
}

@ApiExtraModels(SharedDonationDto, ChangedSubject)
export class ChangeDto {
  @ApiProperty({ example: CURSOR, description: 'Value of `after` for the changes after this one' })
  cursor: string;

  @ApiProperty({
    enum: CHANGE_TYPES,
    enumName: 'ChangeType',
    example: 'donation.created',
    description:
      '`donation.created`: the donation counts; `donation.updated`: amount, refund, name, message or status changed; ' +
      '`donation.retracted`: the donation no longer counts',
  })
  type: ChangeType;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  occurredAt: string;

  @ApiProperty({
    anyOf: [{ $ref: getSchemaPath(SharedDonationDto) }, { $ref: getSchemaPath(ChangedSubject) }],
    description:
      'The donation as it is now, not as it was after this change; for other types, the ids. Without the scope ' +
      '`read:personal` of a key, the fields of the donor are absent',
  })
  data: SharedDonationDto | ChangedSubject;
}

/** Answer of `GET /changes`. */
export class Changes {
  @ApiProperty({ type: [ChangeDto] })
  data: ChangeDto[];

  @ApiProperty({ example: CURSOR, description: 'Store it after you have processed `data`' })
  next: string;

  @ApiProperty({ example: false, description: 'True if further changes can be read at once' })
  hasMore: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description:
      'True if `after` is older than the kept changes. Read `GET /donations?updatedFrom=` once, and continue from `next`',
  })
  resync?: true | undefined;
}
