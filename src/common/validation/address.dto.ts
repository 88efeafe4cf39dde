import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { RefusedFieldsError } from '../errors/domain-errors.js';
import { COUNTRIES, type PostalAddress } from '../text/postal-address.js';
import { postcodeProblem, tidyPostcode } from '../text/postcode.js';
import { Check, OptionalText, Text } from './field.decorators.js';

const LINE_LENGTH = 100;
const POSTCODE_LENGTH = 20;

/** An ISO 3166-1 alpha-2 code. Accepts any case and converts the code to upper case. */
const Country = (): PropertyDecorator => (target, property) => {
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim().toUpperCase() : value,
  )(target, property);
  Check(
    (value) =>
      typeof value === 'string' && COUNTRIES.includes(value)
        ? undefined
        : 'must be an ISO 3166-1 alpha-2 country code',
    { type: 'string', enum: [...COUNTRIES], enumName: 'CountryCode' },
  )(target, property);
};

/** A structured postal address. */
export class AddressDto {
  @ApiProperty({ example: 'Flat 2, 10 Main Street', description: 'House name or number, and street' })
  @Text({ max: LINE_LENGTH })
  line1: string;

  @ApiPropertyOptional({ example: 'Old Town' })
  @OptionalText({ max: LINE_LENGTH })
  line2?: string | null;

  @ApiPropertyOptional({
    example: 'SW1A 1AA',
    description: 'Required, and checked, for the United Kingdom, Jersey, Guernsey and the Isle of Man',
  })
  @OptionalText({ max: POSTCODE_LENGTH })
  postcode?: string | null;

  @ApiProperty({ example: 'London' })
  @Text({ max: LINE_LENGTH })
  city: string;

  @ApiProperty({ example: 'GB', description: 'ISO 3166-1 alpha-2' })
  @Country()
  country: string;
}

/**
 * The complete address: absent parts are null, and the postcode has the form of its country.
 * @param path field of the request that has the address
 * @throws RefusedFieldsError if the country needs another postcode
 */
export function readAddress(
  { line1, line2, postcode, city, country }: AddressDto,
  path: string,
): PostalAddress {
  const problem = postcodeProblem(country, postcode ?? null);
  if (problem !== undefined) {
    const field = `${path}.postcode`;
    throw new RefusedFieldsError([
      { field, rule: postcode ? 'pattern' : 'required', message: `${field} ${problem}` },
    ]);
  }
  return {
    line1,
    line2: line2 ?? null,
    postcode: postcode ? tidyPostcode(country, postcode) : null,
    city,
    country,
  };
}
