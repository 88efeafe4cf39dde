import { ApiProperty } from '@nestjs/swagger';
import { QueryInteger } from '../../common/validation/field.decorators.js';

const PENCE = { type: 'integer', format: 'int64' } as const;
/** Facts that the Small Donations Scheme asks for and that the service cannot know. */
export const NOT_KNOWN = [
  'bankedOn',
  'bankedInUnitedKingdom',
  'givenInUnitedKingdom',
  'contactless',
] as const;

export class SmallDonationsQuery {
  @ApiProperty({
    example: 2026,
    description: 'Year in which the tax year begins: 2026 is 6 April 2026 to 5 April 2027',
  })
  @QueryInteger(2000, 2998)
  taxYear: number;
}

export class SmallSumDto {
  @ApiProperty({ type: 'integer', example: 212 })
  donations: number;

  @ApiProperty({ ...PENCE, example: 184_500, description: 'Sum after refunds, in pence' })
  amount: number;
}

/** The cash of a shift, as a collection. */
export class SmallCollectionDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  shiftId: string;

  @ApiProperty({ example: 'Winter Gala' })
  eventName: string;

  @ApiProperty({ format: 'date', example: '2026-11-21', description: 'Day on which the shift began' })
  date: string;

  @ApiProperty({ ...PENCE, example: 42_500, description: 'Small donations in cash of the shift, in pence' })
  cash: number;

  @ApiProperty({
    type: [String],
    example: ['Maria', 'Tom'],
    description:
      'The member of the shift and the one who signed the count; fewer than two if the count is not done or not signed',
  })
  countedBy: string[];
}

/** Small donations without a declaration of a tax year (Gift Aid Small Donations Scheme). */
export class SmallDonationsDto {
  @ApiProperty({ format: 'date', example: '2026-04-06' })
  from: string;

  @ApiProperty({ format: 'date', example: '2027-04-05' })
  to: string;

  @ApiProperty({ type: SmallSumDto, description: 'Donations of at most £30 in cash' })
  cash: SmallSumDto;

  @ApiProperty({
    type: SmallSumDto,
    description: 'Donations of at most £30 at card terminals; only contactless ones count',
  })
  cardTerminal: SmallSumDto;

  @ApiProperty({
    ...PENCE,
    example: 125_000,
    description: 'Claimed Gift Aid donations that were given in the tax year, in pence',
  })
  giftAidDonations: number;

  @ApiProperty({
    ...PENCE,
    example: 800_000,
    description: 'Limit in pence: £8,000, or ten times the claimed Gift Aid donations if this is less',
  })
  limit: number;

  @ApiProperty({ ...PENCE, example: 184_500, description: 'Both sums together, at most `limit`, in pence' })
  amount: number;

  @ApiProperty({ ...PENCE, example: 46_125, description: 'Top-up payment on `amount`, in pence' })
  tax: number;

  @ApiProperty({
    type: [SmallCollectionDto],
    description: 'The shifts with small donations in cash, oldest first',
  })
  collections: SmallCollectionDto[];

  @ApiProperty({
    enum: NOT_KNOWN,
    isArray: true,
    example: NOT_KNOWN,
    description:
      'Facts that HM Revenue and Customs asks for and that the service does not know. Keep your own record of them',
  })
  notKnown: readonly (typeof NOT_KNOWN)[number][];
}
