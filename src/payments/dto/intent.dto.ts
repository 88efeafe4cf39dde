import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { IsDefined, IsObject, ValidateNested } from 'class-validator';
import { Text, WhenSent } from '../../common/validation/text.decorators.js';
import { Currency, MinorUnits, OneOf } from '../../common/validation/value.decorators.js';
import { DonorFieldsDto } from '../../donations/dto/record-donation.dto.js';
import { ONLINE_TYPES, type OnlineType } from '../payment-provider.js';

/** Unknown keys are dropped, and nothing of this is forwarded to the provider but our own ids. */
export class IntentMetadataDto extends DonorFieldsDto {
  @ApiProperty({ description: 'Event id or slug', example: 'winter-gala' })
  @Text({ max: 100 })
  eventId: string;

  @ApiPropertyOptional({
    example: 'c-7f3a9b',
    description:
      'The same for every try of one checkout, by whatever method: when two of them are paid, an admin is told',
  })
  @WhenSent()
  @Text({ max: 100 })
  checkoutId?: string;
}

const METADATA_KEYS: readonly (keyof IntentMetadataDto)[] = [
  'eventId',
  'checkoutId',
  'donorName',
  'donorEmail',
  'isAnonymous',
  'message',
];

/** The known keys only: what else a page puts there is dropped. */
function knownMetadata(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const sent = value as Record<string, unknown>;
  const known = METADATA_KEYS.filter((key) => Object.hasOwn(sent, key)).map(
    (key) => [key, sent[key]] as const,
  );
  return plainToInstance(IntentMetadataDto, Object.fromEntries(known));
}

export class CreateIntentDto {
  @MinorUnits()
  amount: number;

  @ApiPropertyOptional({ example: 'eur', description: "ISO 4217; the event's currency by default" })
  @WhenSent()
  @Currency()
  currency?: string;

  @ApiPropertyOptional({
    enum: ONLINE_TYPES,
    description: "How the donor pays; the provider's method where one is named, else card",
  })
  @WhenSent()
  @OneOf(ONLINE_TYPES)
  method?: OnlineType;

  @ApiPropertyOptional({
    example: 'acme_bank',
    description: "Which of several providers of a method; the method's default where absent",
  })
  @WhenSent()
  @Text({ max: 31 })
  provider?: string;

  @ApiProperty({ type: IntentMetadataDto })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Transform(({ value }: { value: unknown }) => knownMetadata(value))
  metadata: IntentMetadataDto;
}

const DONOR_TOKEN = {
  example: 'AZjzwnoQfE6fAFo9HCtOb2Jd0mJ2v8lY3mXh0m0b6b0pQ2rS9tUvWw',
  description: 'For `GET /donations/mine/:token`: only the donor may have it',
};

export class CardIntentDto {
  @ApiProperty({ example: 'pi_3Qk_secret_9a8b', description: "For the card processor's own form" })
  clientSecret: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty(DONOR_TOKEN)
  donorToken: string;
}

export class WalletIntentDto {
  @ApiProperty({ example: '5O190127TN364715T' })
  orderId: string;

  @ApiProperty({ example: 'https://wallet.example/checkout?token=5O190127TN364715T' })
  approveUrl: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty(DONOR_TOKEN)
  donorToken: string;
}

export type IntentDto = CardIntentDto | WalletIntentDto;

export const intentSchema = {
  oneOf: [{ $ref: getSchemaPath(CardIntentDto) }, { $ref: getSchemaPath(WalletIntentDto) }],
};

/** What the public learns about a captured donation: no personal data. */
export class CaptureDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty({ example: 'COMPLETED' })
  status: string;
}
