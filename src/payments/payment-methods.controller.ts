import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { PaymentMethodsDto, toPaymentMethods } from './dto/payment-methods.dto.js';
import { PaymentProviders } from './providers.js';

@ApiTags('Payments')
@Controller('settings/payments')
export class PaymentMethodsController {
  constructor(private readonly providers: PaymentProviders) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'How donors can pay online, with the publishable keys' })
  @ApiOkResponse({ type: PaymentMethodsDto })
  @ApiErrors(429)
  list(): PaymentMethodsDto {
    return toPaymentMethods(this.providers.checkouts);
  }
}
