import { Controller, Get, Header, Query, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { WalletReturnService } from './wallet-return.service.js';
import { PageErrors } from './page-errors.js';

const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const PAGE = { description: 'A short page for the donor', schema: { type: 'string' } };

/** Return addresses for the wallet provider. They are for donors who did not use our donate page. */
@ApiTags('Payments')
@ApiProduces('text/html')
@Controller('donations/wallet')
@UseFilters(PageErrors)
export class WalletReturnController {
  constructor(private readonly returns: WalletReturnService) {}

  @Get('return')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', CONTENT_POLICY)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Return page after the approval: captures the payment and thanks the donor' })
  @ApiQuery({
    name: 'token',
    type: String,
    required: false,
    description: 'Order id of the provider; without it the page shows that there is no payment',
    example: '5O190127TN364715T',
  })
  @ApiOkResponse(PAGE)
  @ApiErrors(429)
  approved(@Query('token') orderId?: unknown) {
    return this.returns.approved(orderId);
  }

  @Get('cancelled')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', CONTENT_POLICY)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Return page after a cancelled checkout; changes nothing' })
  @ApiOkResponse(PAGE)
  @ApiErrors(429)
  cancelled() {
    return this.returns.cancelled();
  }
}
