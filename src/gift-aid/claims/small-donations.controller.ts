import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { SmallDonationsDto, SmallDonationsQuery } from '../dto/small-donations.dto.js';
import { SmallDonations } from './small-donations.service.js';

@ApiTags('Gift Aid')
@Controller('gift-aid/gasds')
export class SmallDonationsController {
  constructor(private readonly donations: SmallDonations) {}

  @Get()
  @Auth('gift-aid:export')
  @ApiOperation({
    summary: 'Small donations without a declaration of a tax year (Gift Aid Small Donations Scheme)',
    description:
      'Donations of at most £30 in cash or at a card terminal, with the limit of the tax year, and the cash of each shift. `notKnown` names the facts ' +
      'that the service cannot know.',
  })
  @ApiOkResponse({ type: SmallDonationsDto })
  @ApiErrors(400)
  of(@Query() { taxYear }: SmallDonationsQuery) {
    return this.donations.of(taxYear);
  }
}
