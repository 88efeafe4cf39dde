import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Check,
  Instant,
  Matching,
  OneOf,
  QueryInteger,
  SomeOf,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { MESSAGE_ID } from '../message-id.js';
import { WEBHOOK_BODIES, type WebhookData } from './webhook-bodies.dto.js';
import { WEBHOOK_TOPICS, type WebhookTopic } from '../webhook-topics.js';
import { type AttemptRow, MESSAGE_STATES, type MessageRow, type MessageState } from '../webhooks.sql.js';
import { ID, OPTIONAL_STRING, OPTIONAL_TIME, TIME } from './webhook-endpoint.dto.js';

const MESSAGE = { example: 'msg_01jdsy8d0m7r9b2v4x6z8c1e3g' };
const DATA = [...new Set(Object.values(WEBHOOK_BODIES).map(([data]) => data))];
const STATUS = { type: 'integer', nullable: true, example: 200 } as const;

/** Query of `GET /webhook-endpoints/:id/messages`. */
export class ListWebhookMessages {
  @ApiPropertyOptional({ example: 'waiting,failed', description: 'States, separated by commas; absent: all' })
  @BlankIsAbsent()
  @SomeOf(MESSAGE_STATES)
  states?: MessageState[];

  @ApiPropertyOptional({ description: 'Absent: all topics' })
  @BlankIsAbsent()
  @OneOf(WEBHOOK_TOPICS)
  topic?: WebhookTopic;

  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ ...MESSAGE, description: '`nextCursor` of the previous page' })
  @BlankIsAbsent()
  @Matching(MESSAGE_ID, 'must be the id of a message')
  cursor?: string;
}

/** Body of `POST /webhook-endpoints/:id/replay`. */
export class ReplayWebhooks {
  @ApiProperty({ ...TIME, description: 'Messages of this time and later ones' })
  @Text({ max: 40 })
  @Instant()
  from: string;

  @ApiPropertyOptional({ ...TIME, description: 'Messages before this time; absent: until now' })
  @BlankIsAbsent()
  @Instant()
  to?: string;

  @ApiPropertyOptional({ default: ['failed'], description: 'Messages in these states' })
  @WhenSent()
  @Check(
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((one) => one !== 'waiting' && MESSAGE_STATES.includes(one as MessageState))
        ? undefined
        : 'must contain different states of delivered, failed, skipped',
    {
      type: 'array',
      items: { type: 'string', enum: ['delivered', 'failed', 'skipped'] },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
  )
  states?: Exclude<MessageState, 'waiting'>[];
}

export class ReplayedWebhooks {
  @ApiProperty({
    type: 'integer',
    example: 42,
    description:
      'Messages that are sent again, 5 a second. At most 10,000: repeat the request for the others',
  })
  messages: number;
}

export class WebhookAttemptDto {
  @ApiProperty(TIME)
  at: string;

  @ApiProperty({ example: true })
  isSuccess: boolean;

  @ApiProperty({ ...STATUS, description: 'Status of the answer; null without an answer' })
  status: number | null;

  @ApiProperty({ type: 'integer', example: 84 })
  milliseconds: number;

  @ApiProperty({ ...OPTIONAL_STRING, example: null, description: 'Reason of the failure' })
  error: string | null;
}

/** The body of a message, in the form of Standard Webhooks. */
@ApiExtraModels(...DATA)
export class WebhookBodyDto {
  @ApiProperty({ enum: WEBHOOK_TOPICS, example: 'donation.completed' })
  type: WebhookTopic;

  @ApiProperty({ ...TIME, description: 'Time of the change' })
  timestamp: string;

  @ApiProperty({ anyOf: DATA.map((data) => ({ $ref: getSchemaPath(data) })) })
  data: WebhookData;
}

export class WebhookMessageDto {
  @ApiProperty({ ...MESSAGE, description: 'The header `webhook-id` of each attempt' })
  id: string;

  @ApiProperty({ enum: WEBHOOK_TOPICS })
  topic: WebhookTopic;

  @ApiProperty({ ...ID, ...OPTIONAL_STRING })
  eventId: string | null;

  @ApiProperty({ ...ID, ...OPTIONAL_STRING, description: 'The donation, match pool, milestone …' })
  subjectId: string | null;

  @ApiProperty(TIME)
  occurredAt: string;

  @ApiProperty({ enum: MESSAGE_STATES, description: '`skipped`: the endpoint was stopped' })
  state: MessageState;

  @ApiProperty({ type: 'integer', example: 1 })
  attempts: number;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'Of a waiting message' })
  nextAttemptAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  deliveredAt: string | null;

  @ApiProperty({ description: 'The body without personal data' })
  body: WebhookBodyDto;

  @ApiProperty({ type: [WebhookAttemptDto], description: 'The last ten, newest first' })
  tries: WebhookAttemptDto[];
}

export class WebhookMessageList {
  @ApiProperty({ type: [WebhookMessageDto], description: 'Newest first' })
  data: WebhookMessageDto[];

  @ApiProperty({ ...OPTIONAL_STRING, ...MESSAGE })
  nextCursor: string | null;
}

/** The answer of a receiver to a test message. */
export class WebhookTestDto {
  @ApiProperty(MESSAGE)
  messageId: string;

  @ApiProperty({ example: true })
  isSuccess: boolean;

  @ApiProperty(STATUS)
  status: number | null;

  @ApiProperty({ type: 'integer', example: 84 })
  milliseconds: number;

  @ApiProperty({ ...OPTIONAL_STRING, example: null })
  error: string | null;
}

export class ResentWebhook {
  @ApiProperty(MESSAGE)
  id: string;

  @ApiProperty({ enum: ['waiting'] })
  state: 'waiting';
}

const toAttempt = (row: AttemptRow): WebhookAttemptDto => ({
  at: row.at.toISOString(),
  isSuccess: row.is_success,
  status: row.status,
  milliseconds: row.milliseconds,
  error: row.error,
});

export const toMessage = (row: MessageRow, attempts: readonly AttemptRow[]): WebhookMessageDto => ({
  id: row.id,
  topic: row.topic,
  eventId: row.event_id,
  subjectId: row.subject_id,
  occurredAt: row.occurred_at.toISOString(),
  state: row.state,
  attempts: row.attempts,
  nextAttemptAt: row.state === 'waiting' ? row.next_at.toISOString() : null,
  deliveredAt: row.delivered_at?.toISOString() ?? null,
  body: JSON.parse(row.body) as WebhookBodyDto,
  tries: attempts.filter(({ message_id }) => message_id === row.id).map(toAttempt),
});
