import { ApiProperty } from '@nestjs/swagger';

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
    description: 'When a webhook event of it was heard last, in the last 90 days',
  })
  lastWebhookAt: string | null;
}
