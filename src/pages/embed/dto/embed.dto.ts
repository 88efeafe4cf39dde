import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText } from '../../../common/validation/field.decorators.js';

/** Query of `GET /embed/:slug`. */
export class EmbedQuery {
  @ApiPropertyOptional({
    example: 'de',
    description: 'BCP 47; one of `locales.supported`, otherwise the default language',
  })
  @OptionalText({ max: 35 })
  lang?: string | null;
}

/** The words of the forms, in the language of the request. */
export class EmbedTextsDto {
  @ApiProperty({ example: 'Donate', description: 'Label of the button' })
  give: string;

  @ApiProperty({ example: 'Donate to Summer Gala', description: 'Name of the frame and the dialog' })
  title: string;

  @ApiProperty({ example: '€4,900', description: 'The total, or the goal before the first donation' })
  amount: string;

  @ApiProperty({ example: 'raised of €10,000', description: 'Text after the amount' })
  rest: string;

  @ApiProperty({ example: '49%', description: 'Empty for an event without a goal' })
  percent: string;

  @ApiProperty({
    example: '49% of the goal',
    description: 'Name of the bar; empty for an event without a goal',
  })
  progress: string;

  @ApiProperty({ example: 'Close' })
  close: string;

  @ApiProperty({ example: 'Open in a new tab' })
  newTab: string;
}

/** All data that `/embed.js` shows on another website. */
export class EmbedDto {
  @ApiProperty({ example: 'https://give.example.org/donate/summer-gala', description: 'The donate page' })
  address: string;

  @ApiProperty({ example: 'en', description: 'Language of the texts; BCP 47' })
  locale: string;

  @ApiProperty({ example: 'eur', description: 'ISO 4217, lower case' })
  currency: string;

  @ApiProperty({ type: 'integer', format: 'int64', example: 490_000, description: 'In minor units' })
  totalRaised: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    example: 1_000_000,
    description: 'In minor units; 0: no goal',
  })
  goalAmount: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 49,
    description: 'Whole percent of the goal, rounded down; null without a goal',
  })
  percent: number | null;

  @ApiProperty({ example: '#0d5c4c', description: 'Colour of the button and the bar, from the branding' })
  brand: string;

  @ApiProperty({ example: '#ffffff', description: 'Readable text colour on `brand`' })
  onBrand: string;

  @ApiProperty({ type: EmbedTextsDto })
  texts: EmbedTextsDto;
}
