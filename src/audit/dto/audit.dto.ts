import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACTOR_KINDS } from '../../common/access/principal.js';
import {
  Instant,
  OneOf,
  OptionalText,
  QueryInteger,
  WhenSent,
} from '../../common/validation/field.decorators.js';

type ActorKind = (typeof ACTOR_KINDS)[number];

/** Filter for audit entries. An absent field matches all entries. */
export class AuditFilter {
  @ApiPropertyOptional({
    description: 'An action such as `staff.delete`, or the resource before the dot',
  })
  @OptionalText({ max: 100 })
  action?: string | null;

  @ApiPropertyOptional()
  @WhenSent()
  @OneOf(ACTOR_KINDS)
  actor?: ActorKind;

  @ApiPropertyOptional({ description: 'Id of the actor' })
  @OptionalText({ max: 100 })
  actorId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the changed object' })
  @OptionalText({ max: 100 })
  subjectId?: string | null;

  @ApiPropertyOptional({ description: "The client's address" })
  @OptionalText({ max: 60 })
  address?: string | null;

  @ApiPropertyOptional({ description: 'At or after' })
  @WhenSent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'Before' })
  @WhenSent()
  @Instant()
  to?: string;
}

/** Query of `GET /audit`. */
export class ListAudit extends AuditFilter {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({
    description: '`nextCursor` of the previous page, with the same filters',
  })
  @OptionalText({ max: 36 })
  cursor?: string | null;
}

export class AuditEntryDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ enum: ACTOR_KINDS, example: 'admin' })
  actor: ActorKind;

  @ApiProperty({ type: String, nullable: true, example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  actorId: string | null;

  @ApiProperty({ example: 'donations.export' })
  action: string;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the changed object' })
  subjectId: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { filters: ['eventId'] },
    description: 'Details of the change, without secrets and personal data',
  })
  detail: Record<string, unknown>;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '203.0.113.7',
    description: "The client's address; null for actions of the service or of an operator's command",
  })
  address: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Firefox on Windows',
    description: 'The browser or program, as a short label',
  })
  client: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;
}

/** API description of a map from id to name. */
export const NamesField = () =>
  ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f': 'Ada Lovelace' },
    description:
      'Current names of the accounts, staff members, events and terminals among the ids (the e-mail address if an account ' +
      'has no name). Deleted ones are absent',
  });

export class AuditPage {
  @ApiProperty({ type: [AuditEntryDto] })
  data: AuditEntryDto[];

  @ApiProperty({ type: 'integer', example: 50 })
  limit: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value for the next page; null on the last page',
  })
  nextCursor: string | null;

  @NamesField()
  names: Record<string, string>;
}
