import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Email,
  OneOf,
  OptionalText,
  QueryInteger,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import type { Email as EmailRow } from '../../data/generated/client.js';
import { EMAIL_KINDS, EMAIL_STATES, type EmailKind, type EmailState } from '../email-kinds.js';

const EXAMPLE_ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';

export class ListEmailsDto {
  @ApiPropertyOptional()
  @WhenSent()
  @OneOf(EMAIL_STATES)
  state?: EmailState;

  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page' })
  @OptionalText({ max: 36 })
  cursor?: string | null;
}

/** An e-mail without the recipient's address, because the address is in the donation. */
export class EmailDto {
  @ApiProperty({ example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ enum: EMAIL_KINDS, example: 'receipt' })
  kind: EmailKind;

  @ApiProperty({ type: String, nullable: true, example: EXAMPLE_ID })
  donationId: string | null;

  @ApiProperty({
    enum: EMAIL_STATES,
    example: 'sent',
    description:
      '`queued`: waits for the first or another try; `sent`: accepted by the mail server; `bounced`: refused ' +
      'permanently; `failed`: abandoned after two days',
  })
  state: EmailState;

  @ApiProperty({ type: 'integer', example: 1 })
  attempts: number;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Reply of the mail server' })
  lastError: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T19:30:02.000Z' })
  sentAt: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  nextAttemptAt: string | null;
}

export class EmailListDto {
  @ApiProperty({ type: [EmailDto] })
  data: EmailDto[];

  @ApiProperty({ example: true, description: 'True if `SMTP_URL` is set; without it no e-mail is sent' })
  isOn: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value for the next page; null on the last page',
  })
  nextCursor: string | null;
}

export class TestEmailDto {
  @ApiProperty({ example: 'treasurer@example.org' })
  @Email()
  to: string;
}

export class TestEmailSentDto {
  @ApiProperty({
    example: true,
    description: 'True if the mail server accepted it. Check the mailbox for its arrival',
  })
  sent: true;
}

/** One row of the list of e-mails. */
export type ShownEmail = Pick<
  EmailRow,
  'id' | 'kind' | 'donationId' | 'state' | 'attempts' | 'lastError' | 'createdAt' | 'nextAttemptAt' | 'sentAt'
>;

export const toEmail = (row: ShownEmail): EmailDto => ({
  id: row.id,
  kind: row.kind,
  donationId: row.donationId,
  state: row.state,
  attempts: row.attempts,
  lastError: row.lastError,
  createdAt: row.createdAt.toISOString(),
  sentAt: row.sentAt?.toISOString() ?? null,
  nextAttemptAt: row.state === 'queued' ? row.nextAttemptAt.toISOString() : null,
});
