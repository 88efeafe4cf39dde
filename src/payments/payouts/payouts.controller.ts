import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { Balances } from './balances.service.js';
import { BalancesDto } from './dto/balances.dto.js';
import { PayoutsDto, PayoutsQuery } from './dto/payouts.dto.js';
import { Payouts } from './payouts.service.js';

@ApiTags('Reports')
@Controller('payouts')
export class PayoutsController {
  constructor(
    private readonly payouts: Payouts,
    private readonly balances: Balances,
  ) {}

  @Get('balance')
  @Auth('reports:read')
  @ApiOperation({
    summary:
      "Get the money that the payment providers hold, for all events of the organization's accounts together",
  })
  @ApiOkResponse({ type: BalancesDto })
  @ApiErrors(429)
  balance(): Promise<BalancesDto> {
    return this.balances.all();
  }

  @Get()
  @Auth('reports:read')
  @ApiOperation({ summary: 'List the payouts of the payment providers with their donations' })
  @ApiOkResponse({ type: PayoutsDto })
  @ApiErrors(400, 409, 503)
  between(@Query() query: PayoutsQuery): Promise<PayoutsDto> {
    return this.payouts.between(query);
  }
}
