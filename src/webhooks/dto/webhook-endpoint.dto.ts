import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isId } from '../../common/crypto/ids.js';
import {
  Check,
  Flag,
  OneOf,
  OptionalText,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { CHOSEN_TOPICS, type WebhookTopic } from '../webhook-topics.js';
import {
  ENDPOINT_STATUSES,
  type EndpointStatus,
  type EndpointWithFigures,
  type Payload,
  PAYLOADS,
} from '../webhooks.sql.js';

export const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
export const TIME = { format: 'date-time', example: '2026-11-28T19:00:00.000Z' };
export const OPTIONAL_TIME = { ...TIME, type: String, nullable: true };
export const OPTIONAL_STRING = { type: String, nullable: true };
const COUNT = { type: 'integer', example: 0 } as const;
const MOST_EVENTS = 50;
const LONGEST_URL = 2_000;

/** A list of different entries, possibly empty. */
const ListOf = (isOne: (value: unknown) => boolean, problem: string, items: object, max: number) =>
  applyDecorators(
    WhenSent(),
    Check(
      (value) => {
        if (!Array.isArray(value) || value.length > max) return `must be a list of at most ${max} entries`;
        return value.every(isOne) && new Set(value).size === value.length ? undefined : problem;
      },
      { type: 'array', items, maxItems: max, uniqueItems: true },
    ),
  );

const Topics = () =>
  ListOf(
    (value) => (CHOSEN_TOPICS as readonly unknown[]).includes(value),
    'must contain different topics of webhooks',
    { type: 'string', enum: [...CHOSEN_TOPICS] },
    CHOSEN_TOPICS.length,
  );

const EventIds = () =>
  ListOf(
    (value) => typeof value === 'string' && isId(value),
    'must contain different ids of events',
    { type: 'string', format: 'uuid' },
    MOST_EVENTS,
  );

/** The fields of an endpoint that a request may leave out. */
class EndpointFields {
  @ApiPropertyOptional({ example: 'Accounting' })
  @OptionalText({ max: 200 })
  description?: string | null;

  @ApiPropertyOptional({ example: ['donation.completed'], description: 'Empty: all topics' })
  @Topics()
  topics?: WebhookTopic[];

  @ApiPropertyOptional({ example: [], description: 'Empty: all events' })
  @EventIds()
  eventIds?: string[];

  @ApiPropertyOptional({
    example: false,
    description:
      'True: messages about donations contain personal data, such as names and addresses. False: ids and amounts only',
  })
  @WhenSent()
  @Flag()
  containsPersonalData?: boolean;
}

/** Body of `POST /webhook-endpoints`. */
export class CreateWebhookEndpoint extends EndpointFields {
  @ApiProperty({ example: 'https://crm.example.org/hooks/donations' })
  @Text({ max: LONGEST_URL })
  url: string;
}

/** Body of `PATCH /webhook-endpoints/:id`. Absent fields stay. */
export class UpdateWebhookEndpoint extends EndpointFields {
  @ApiPropertyOptional({ example: 'https://crm.example.org/hooks/donations' })
  @WhenSent()
  @Text({ max: LONGEST_URL })
  url?: string;

  @ApiPropertyOptional({ description: 'Pauses the endpoint. `POST …/enable` ends the pause' })
  @WhenSent()
  @OneOf(['paused'])
  status?: 'paused';
}

/** Body of `POST /webhook-endpoints/:id/enable`. */
export class EnableWebhookEndpoint {
  @ApiProperty({
    description:
      '`send`: the messages since the stop are sent, at most 10,000. `skip`: only messages from now on',
  })
  @OneOf(['send', 'skip'])
  missed: 'send' | 'skip';
}

/** An endpoint with the figures of its messages, without its secret. */
export class WebhookEndpointDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'https://crm.example.org/hooks/donations' })
  url: string;

  @ApiProperty({ ...OPTIONAL_STRING, example: 'Accounting' })
  description: string | null;

  @ApiProperty({
    type: [String],
    enum: CHOSEN_TOPICS,
    example: ['donation.completed'],
    description: 'Empty: all',
  })
  topics: WebhookTopic[];

  @ApiProperty({ type: [String], example: [], description: 'Empty: all' })
  eventIds: string[];

  @ApiProperty({ example: false })
  containsPersonalData: boolean;

  @ApiProperty({ enum: ENDPOINT_STATUSES })
  status: EndpointStatus;

  @ApiProperty({
    ...OPTIONAL_STRING,
    enum: ['gone', 'failing'],
    example: null,
    description: '`gone`: the receiver answered 410. `failing`: it accepted nothing for days',
  })
  disabledReason: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'When it was paused or disabled' })
  stoppedAt: string | null;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'The first failed attempt since the last delivery' })
  failingSince: string | null;

  @ApiProperty(OPTIONAL_TIME)
  lastDeliveredAt: string | null;

  @ApiProperty({ ...COUNT, description: 'Messages that wait for an attempt' })
  waiting: number;

  @ApiProperty(OPTIONAL_TIME)
  oldestWaitingAt: string | null;

  @ApiProperty({ ...COUNT, description: 'Messages of the last 30 days whose last attempt failed' })
  failed: number;

  @ApiProperty({ ...COUNT, description: 'Attempts of the last 24 hours' })
  attempts24h: number;

  @ApiProperty({ ...COUNT, description: 'Successful attempts of the last 24 hours' })
  successes24h: number;

  @ApiProperty({ ...OPTIONAL_TIME, description: 'Until then, the secret before signs too' })
  oldSecretUntil: string | null;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(TIME)
  updatedAt: string;
}

/** An endpoint with its secret, which no other answer contains. */
export class WebhookEndpointWithSecret extends WebhookEndpointDto {
  @ApiProperty({
    example: 'whsec_c2VjcmV0IG9mIHRoaXMgZXhhbXBsZSwgMzIgYnl0ZXM=',
    description: 'Verifies the signatures. It is shown only in this answer',
  })
  secret: string;
}

export class WebhookEndpointList {
  @ApiProperty({ type: [WebhookEndpointDto], description: 'Oldest first' })
  data: WebhookEndpointDto[];
}

export class DeletedWebhookEndpoint {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

export const toEndpoint = (row: EndpointWithFigures): WebhookEndpointDto => ({
  id: row.id,
  url: row.url,
  description: row.description,
  topics: row.topics,
  eventIds: row.event_ids,
  containsPersonalData: row.payload === 'full',
  status: row.status,
  disabledReason: row.disabled_reason,
  stoppedAt: timeOf(row.stopped_at),
  failingSince: timeOf(row.failing_since),
  lastDeliveredAt: timeOf(row.delivered_at),
  waiting: row.waiting,
  oldestWaitingAt: timeOf(row.oldest_waiting_at),
  failed: row.failed,
  attempts24h: row.attempts_24h,
  successes24h: row.successes_24h,
  oldSecretUntil: timeOf(row.old_secret_until),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const payloadOf = (containsPersonalData: boolean): Payload =>
  containsPersonalData ? PAYLOADS[1] : PAYLOADS[0];
