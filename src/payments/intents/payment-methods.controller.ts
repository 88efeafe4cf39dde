import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { FOR_GOOD, KeptAnswers } from '../../common/http/kept-answers.js';
import { PaymentMethodsDto, toPaymentMethods } from './dto/payment-methods.dto.js';
import { PaymentProviders } from '../providers/payment-providers.js';

const PATH = '/settings/payments';

@ApiTags('Payments')
@Controller('settings/payments')
export class PaymentMethodsController {
  constructor(
    private readonly providers: PaymentProviders,
    private readonly answers: KeptAnswers,
  ) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'How donors can pay online, with the publishable keys' })
  @ApiOkResponse({ type: PaymentMethodsDto })
  @ApiErrors(429)
  list(): PaymentMethodsDto {
    const methods = toPaymentMethods(this.providers.checkouts);
    // From the configuration of the process, which does not change while it runs.
    this.answers.keep(PATH, PATH, JSON.stringify(methods), FOR_GOOD);
    return methods;
  }
}
