import { ApiProperty } from '@nestjs/swagger';
import { WEBHOOK_PROBLEMS, type WebhookProblem } from '../provider-errors.js';

export const WEBHOOK_PROBLEM = {
  type: String,
  enum: WEBHOOK_PROBLEMS,
  nullable: true,
  description:
    'Reason why no webhook event is accepted. `signature`: the configured secret or id of the webhook is wrong. `clock`: ' +
    'the clock of this server differs from the time of the events. `missing`: no event arrives, but money moved. ' +
    '`incomplete`: the endpoint is not subscribed to every event type that is used',
} as const;

export class ProviderCheckDto {
  @ApiProperty({ example: 'acme_bank' })
  provider: string;

  @ApiProperty({ example: true })
  ok: boolean;

  @ApiProperty({ example: 'A payment was made at the provider and cancelled again' })
  detail: string;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: '2026-11-21T19:30:00.000Z',
    description: 'Arrival of the latest webhook event of the provider',
  })
  lastWebhookAt: string | null;

  @ApiProperty(WEBHOOK_PROBLEM)
  webhookProblem: WebhookProblem | null;

  @ApiProperty({
    type: [String],
    example: ['refund.failed'],
    description:
      'Known event types that the service needs and that the webhook endpoint is not subscribed to',
  })
  unsubscribedTypes: string[];
}
