import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Rule, RULES } from '../validation/broken-rule.js';

/** The person who made a change. */
export class ChangedBy {
  @ApiProperty({ example: 'admin', description: 'Kind of the account, as in the audit log' })
  actor: string;

  @ApiProperty({ type: String, nullable: true, example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' })
  id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Maria Lopez',
    description: 'Null for an account without a name here, such as a removed one',
  })
  name: string | null;
}

/** A field that somebody else changed after the client read it. */
export class EditConflictField {
  @ApiProperty({
    example: 'goalAmount',
    description: 'Field of the body; a path such as `donation.minAmount` in settings',
  })
  field: string;

  @ApiPropertyOptional({
    example: 500_000,
    description: 'The stored value; null if the field is not set. Absent for a PIN',
    oneOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
    ],
  })
  value?: unknown;

  @ApiPropertyOptional({
    type: ChangedBy,
    description: 'Absent if the caller may not read the audit log, or the log has no entry of the change',
  })
  by?: ChangedBy;

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2026-11-21T19:30:00.000Z',
    description: 'Time of the change; present exactly if `by` is',
  })
  at?: string;
}

/** A field of the request that breaks a rule. */
export class RefusedField {
  @ApiProperty({
    example: 'code',
    description:
      'Field of the body or query; a path such as `donation.minAmount` inside of objects; empty for the whole body',
  })
  field: string;

  @ApiProperty({
    enum: RULES,
    example: 'maxLength',
    description: 'The broken rule; `other` is a rule that no schema describes',
  })
  rule: Rule;

  @ApiPropertyOptional({
    example: 200,
    description: 'Limit of a length, an amount (in minor units) or a number of entries',
  })
  limit?: number;
}

/** The JSON body of all errors. */
export class ErrorBody {
  @ApiProperty({ type: 'integer', example: 400, description: 'The HTTP status of the response' })
  statusCode: number;

  @ApiProperty({ example: 'amount must be an integer in minor units' })
  message: string;

  @ApiProperty({ example: 'Bad Request', description: 'The reason phrase of the status' })
  error: string;

  @ApiProperty({
    example: 'VALIDATION_FAILED',
    pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
    description: 'Stable, for programs; docs/errors.md lists all codes',
  })
  code: string;

  @ApiPropertyOptional({
    type: [RefusedField],
    description: 'Only with `VALIDATION_FAILED`: the refused fields, for the texts of a form',
  })
  fields?: RefusedField[];
}

/** The JSON body of a refused edit. */
export class RefusedEdit extends ErrorBody {
  @ApiPropertyOptional({
    type: [EditConflictField],
    description: 'Only with `EDIT_CONFLICT`: the fields that changed since the client read them',
  })
  details?: EditConflictField[];
}

/** A field that keeps a receipt from being accepted by the tax office. */
export class ReceiptFinding {
  @ApiProperty({
    example: 'donorAddress',
    description:
      'Field of the donation (`donorName`, `donorAddress`, `benefitValue`, `benefitText`, `type`, `currency`, `amount`) or setting',
  })
  field: string;

  @ApiProperty({
    enum: ['missing', 'form', 'expired', 'currency', 'amount', 'advantage', 'collective'],
    example: 'missing',
    description:
      '`missing`; `form`: a wrong number; `expired`: a notice that is too old; `currency`: the tax office accepts another one; ' +
      '`amount`: nothing of the donation counts after refunds and the benefit; `advantage`: the benefit is worth more than the law allows; ' +
      '`collective`: a collective receipt already confirms the donation',
  })
  rule: 'missing' | 'form' | 'expired' | 'currency' | 'amount' | 'advantage' | 'collective';
}

/** The JSON body of a refused receipt. */
export class RefusedReceipt extends ErrorBody {
  @ApiPropertyOptional({
    type: [String],
    example: ['donorAddress'],
    description: 'Only with `RECEIPT_INCOMPLETE`: the fields to complete',
  })
  missing?: string[];

  @ApiPropertyOptional({
    type: [ReceiptFinding],
    description: 'Only with `RECEIPT_INCOMPLETE`: the same fields with the reason',
  })
  findings?: ReceiptFinding[];
}
