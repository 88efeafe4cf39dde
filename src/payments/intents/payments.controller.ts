import { Body, Controller, Headers, HttpCode, Ip, Param, Post, Get, Header } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiParam,
} from '@nestjs/swagger';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { CapturesService } from './captures.service.js';
import {
  CaptureDto,
  CardIntentDto,
  CreateIntentDto,
  intentSchema,
  TransferIntentDto,
  WalletIntentDto,
} from './dto/intent.dto.js';
import { IntentsService } from './intents.service.js';
import { OwnDonationDto, OwnEmailDto } from './dto/own-donation.dto.js';
import { OwnDonations } from './own-donations.service.js';
import { OwnEmail } from './own-email.service.js';
import { FOR_GOOD, KeptAnswers } from '../../common/http/kept-answers.js';
import { PaymentMethodsDto, toPaymentMethods } from './dto/payment-methods.dto.js';
import { PaymentProviders } from '../providers/payment-providers.js';

@ApiTags('Payments')
@Controller('donations')
export class PaymentsController {
  constructor(
    private readonly intents: IntentsService,
    private readonly captures: CapturesService,
  ) {}

  @Post('intent')
  @Public()
  @ApiOperation({
    summary: "Start an online donation; the answer contains the data for the provider's form or page",
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeat with the same key and body returns the first answer',
  })
  @ApiHeader({
    name: 'Challenge-Token',
    required: false,
    description: 'Answer to the challenge that a 429 `CHALLENGE_REQUIRED` requests',
  })
  @ApiExtraModels(CardIntentDto, WalletIntentDto, TransferIntentDto)
  @ApiCreatedResponse({ schema: intentSchema })
  @ApiErrors(400, 404, 409, 429, 503)
  create(
    @Body() dto: CreateIntentDto,
    @Ip() ip: string,
    @Headers('idempotency-key') key?: string,
    @Headers('challenge-token') challengeToken?: string,
  ) {
    return this.intents.create(dto, key, { ip, challengeToken });
  }

  @Post('wallet/:orderId/capture')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Capture an order that the donor approved' })
  @ApiOkResponse({ type: CaptureDto })
  @ApiErrors(404, 409, 503)
  capture(@Param('orderId') orderId: string) {
    return this.captures.capture(orderId);
  }
}

@ApiTags('Payments')
@Controller('donations/mine')
export class OwnDonationsController {
  constructor(
    private readonly own: OwnDonations,
    private readonly email: OwnEmail,
  ) {}

  @Get(':token')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: "Get the state of one's own donation" })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiOkResponse({ type: OwnDonationDto })
  @ApiErrors(404, 429)
  read(@Param('token') token: string): Promise<OwnDonationDto> {
    return this.own.read(token);
  }

  @Post(':token/email')
  @HttpCode(200)
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: "Save an e-mail address for the receipt of one's own donation, and send the receipt",
    description: 'Only if none is known and the event asks for one (`donation.fields.donorEmail`).',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiOkResponse({ type: OwnDonationDto })
  @ApiErrors(400, 404, 409, 429)
  async saveEmail(@Param('token') token: string, @Body() { email }: OwnEmailDto): Promise<OwnDonationDto> {
    await this.email.save(token, email);
    return await this.own.read(token);
  }
}

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
  @ApiOperation({ summary: 'List the online payment methods with their publishable keys' })
  @ApiOkResponse({ type: PaymentMethodsDto })
  @ApiErrors(429)
  list(): PaymentMethodsDto {
    const methods = toPaymentMethods(this.providers.checkouts);
    // The configuration does not change while the process runs.
    this.answers.keep(PATH, PATH, JSON.stringify(methods), FOR_GOOD);
    return methods;
  }
}
