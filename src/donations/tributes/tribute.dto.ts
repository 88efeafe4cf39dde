import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsObject, IsOptional, ValidateNested } from 'class-validator';
import { holdsLink } from '../../common/text/holds-link.js';
import { Check, OneOf, OptionalEmail, OptionalText, Text } from '../../common/validation/field.decorators.js';
import { TRIBUTE_KINDS, type TributeKind } from './tribute.js';

const NAME_LENGTH = 80;
const MESSAGE_LENGTH = 500;

/** Refuses addresses and telephone numbers: the charity sends the text to a person who did not ask for it. */
const WithoutLinks = (): PropertyDecorator =>
  Check(
    (value) =>
      typeof value === 'string' && holdsLink(value)
        ? 'must not contain web addresses, e-mail addresses or telephone numbers'
        : undefined,
    {},
  );

/** A donation in honour or in memory of somebody. */
export class TributeDto {
  @ApiProperty({ example: 'memory' })
  @OneOf(TRIBUTE_KINDS)
  kind: TributeKind;

  @ApiProperty({ example: 'Anna Bauer', description: 'Name of the person who is honoured or remembered' })
  @Text({ max: NAME_LENGTH })
  @WithoutLinks()
  name: string;

  @ApiPropertyOptional({
    example: 'We think of you.',
    description:
      'Plain text for the person to notify; never on a wall. Web addresses, e-mail addresses and telephone numbers are refused',
  })
  @OptionalText({ max: MESSAGE_LENGTH, multiline: true })
  @WithoutLinks()
  message?: string | null;

  @ApiPropertyOptional({
    example: 'family@example.org',
    description:
      'Address of a person who gets one e-mail about the donation when it is completed, without the amount. The e-mail names the ' +
      'donor only if the donor is not anonymous',
  })
  @OptionalEmail()
  notifyEmail?: string | null;
}

/** The optional tribute of a request. */
export const OptionalTribute = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: TributeDto, nullable: true }),
    IsOptional(),
    IsObject(),
    ValidateNested(),
    Type(() => TributeDto),
  );
