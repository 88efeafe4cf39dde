import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { WORD_LANGUAGES } from '../../common/money/amount-in-words.js';
import { OneOf, WhenSent } from '../../common/validation/field.decorators.js';
import type { FormLanguage } from '../packs/receipt-pack.js';

export class ReceiptPacksQuery {
  @ApiPropertyOptional({ enum: WORD_LANGUAGES, default: 'en', description: 'Language of the labels' })
  @WhenSent()
  @OneOf(WORD_LANGUAGES)
  language?: FormLanguage;
}

export class PackChoiceDto {
  @ApiProperty({ example: 'exemption' })
  value: string;

  @ApiProperty({ example: 'Notice of exemption (Freistellungsbescheid)' })
  label: string;
}

export class PackConditionDto {
  @ApiProperty({ example: 'legal.de.machineSignature' })
  path: string;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'boolean' }], example: true })
  value: string | boolean;
}

export class PackFieldDto {
  @ApiProperty({ example: 'legal.de.taxNumber', description: 'Path in the settings' })
  path: string;

  @ApiProperty({
    enum: ['text', 'lines', 'day', 'flag', 'choice'],
    example: 'text',
    description: '`day`: `YYYY-MM-DD` or null; `lines`: a list of texts',
  })
  kind: 'text' | 'lines' | 'day' | 'flag' | 'choice';

  @ApiProperty({ example: 'Tax number' })
  label: string;

  @ApiProperty({ type: String, nullable: true, example: 'Such as 27/640/12345' })
  hint: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 25,
    description: 'Characters of a text, or of all lines together; null: no limit, or another kind',
  })
  maxLength: number | null;

  @ApiProperty({ type: [PackChoiceDto], description: 'Empty unless the kind is `choice`' })
  choices: PackChoiceDto[];

  @ApiProperty({
    type: PackConditionDto,
    nullable: true,
    description: 'The form shows the setting only while another one has this value; null: always',
  })
  shownIf: PackConditionDto | null;
}

export class ReceiptPackDto {
  @ApiProperty({ example: 'de', description: 'Country code in lower case, the value of `receipts.pack`' })
  id: string;

  @ApiProperty({ example: 'de-2026-11', description: 'Version of the texts' })
  version: string;

  @ApiProperty({
    example: false,
    description: 'True if a practitioner of the country has read the printed samples of this version',
  })
  reviewed: boolean;

  @ApiProperty({
    example: false,
    description: 'True if the statement of a donor is a document for the tax office',
  })
  hasAnnual: boolean;

  @ApiProperty({
    example: true,
    description: 'True if one receipt can cover all donations of a donor in a year',
  })
  hasCollective: boolean;

  @ApiProperty({ type: [PackFieldDto], description: 'Settings of the country, in the order of the form' })
  fields: PackFieldDto[];
}

export class ReceiptPacksDto {
  @ApiProperty({ type: [ReceiptPackDto] })
  data: ReceiptPackDto[];
}
