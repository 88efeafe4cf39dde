import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { Expected } from '../../common/validation/expected.js';
import { Id, OptionalMinorUnits, OptionalText } from '../../common/validation/field.decorators.js';
import type { DonationField } from '../store/donation-columns.js';
import type { AnswerField } from './donation.dto.js';
import { CorrectableFieldsDto } from './record-donation.dto.js';

const BENEFIT_LENGTH = 200;
const PRONUNCIATION_LENGTH = 120;

/** The fields that can be changed after the donation was recorded. */
export class ChangeableFieldsDto extends CorrectableFieldsDto {
  @ApiPropertyOptional({
    description:
      'Value of the benefit that the donor received, such as a dinner, in minor units: at most the amount of the donation. Receipts for ' +
      'the tax office confirm only the amount above it. Null: no benefit was entered',
  })
  @OptionalMinorUnits({ min: 0, example: 900 })
  benefitValue?: number | null;

  @ApiPropertyOptional({
    example: 'Dinner',
    description: 'The benefit, in the words that receipts print',
  })
  @OptionalText({ max: BENEFIT_LENGTH })
  benefitText?: string | null;

  @ApiPropertyOptional({
    example: 'shi-VAWN',
    description:
      "How a speaker says the donor's name. The page for the speaker shows it where walls show the name. A change of the name without it removes it",
  })
  @OptionalText({ max: PRONUNCIATION_LENGTH })
  donorPronunciation?: string | null;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Team of the donation: a table, a team or a person of the event; null: none',
  })
  @OptionalText({ max: 36 })
  @Id()
  teamId?: string | null;
}

type ReadOnlyField = Exclude<DonationField | AnswerField, keyof ChangeableFieldsDto>;

const READ_ONLY: Record<ReadOnlyField, true> = {
  id: true,
  eventId: true,
  amount: true,
  currency: true,
  type: true,
  status: true,
  staffId: true,
  staffName: true,
  refundedAmount: true,
  refundPending: true,
  dispute: true,
  fee: true,
  feeCurrency: true,
  receiptNumber: true,
  createdAt: true,
  updatedAt: true,
  completedAt: true,
  recordedAt: true,
  terminalId: true,
  paddle: true,
  roundId: true,
  paidBy: true,
  address: true,
  giftAid: true,
  coveredFee: true,
  source: true,
  guestId: true,
  method: true,
  wallet: true,
  pledgedAmount: true,
  isPastDonation: true,
  matchPoolId: true,
  wallState: true,
};

/** Read-only fields. A client that sends back a whole donation may include them with unchanged values. */
export const READ_ONLY_FIELDS = Object.keys(READ_ONLY) as ReadOnlyField[];

export class UpdateDonationDto extends ChangeableFieldsDto {
  @Expected({
    donorName: 'string',
    donorEmail: 'string',
    isAnonymous: 'boolean',
    isAmountHidden: 'boolean',
    message: 'string',
    donorAddress: 'string',
    tribute: 'object',
    reference: 'string',
    note: 'string',
    benefitValue: 'integer',
    benefitText: 'string',
    donorPronunciation: 'string',
    teamId: 'string',
  })
  expected?: { readonly [Field in keyof ChangeableFieldsDto]?: unknown };

  @ApiHideProperty() @Allow() id?: unknown;
  @ApiHideProperty() @Allow() eventId?: unknown;
  @ApiHideProperty() @Allow() amount?: unknown;
  @ApiHideProperty() @Allow() currency?: unknown;
  @ApiHideProperty() @Allow() type?: unknown;
  @ApiHideProperty() @Allow() status?: unknown;
  @ApiHideProperty() @Allow() staffId?: unknown;
  @ApiHideProperty() @Allow() staffName?: unknown;
  @ApiHideProperty() @Allow() refundedAmount?: unknown;
  @ApiHideProperty() @Allow() refundPending?: unknown;
  @ApiHideProperty() @Allow() dispute?: unknown;
  @ApiHideProperty() @Allow() fee?: unknown;
  @ApiHideProperty() @Allow() feeCurrency?: unknown;
  @ApiHideProperty() @Allow() receiptNumber?: unknown;
  @ApiHideProperty() @Allow() createdAt?: unknown;
  @ApiHideProperty() @Allow() updatedAt?: unknown;
  @ApiHideProperty() @Allow() completedAt?: unknown;
  @ApiHideProperty() @Allow() recordedAt?: unknown;
  @ApiHideProperty() @Allow() terminalId?: unknown;
  @ApiHideProperty() @Allow() paddle?: unknown;
  @ApiHideProperty() @Allow() roundId?: unknown;
  @ApiHideProperty() @Allow() paidBy?: unknown;
  @ApiHideProperty() @Allow() address?: unknown;
  @ApiHideProperty() @Allow() giftAid?: unknown;
  @ApiHideProperty() @Allow() coveredFee?: unknown;
  @ApiHideProperty() @Allow() source?: unknown;
  @ApiHideProperty() @Allow() guestId?: unknown;
  @ApiHideProperty() @Allow() method?: unknown;
  @ApiHideProperty() @Allow() wallet?: unknown;
  @ApiHideProperty() @Allow() pledgedAmount?: unknown;
  @ApiHideProperty() @Allow() isPastDonation?: unknown;
  @ApiHideProperty() @Allow() matchPoolId?: unknown;
  @ApiHideProperty() @Allow() wallState?: unknown;
}
