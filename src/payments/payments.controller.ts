import { Body, Controller, Headers, HttpCode, Ip, Param, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  CaptureDto,
  CardIntentDto,
  CreateIntentDto,
  intentSchema,
  WalletIntentDto,
} from './dto/intent.dto.js';
import { IntentsService } from './intents.service.js';
import { WebhooksService } from './webhooks.service.js';

const RECEIVED = {
  description: 'Committed',
  schema: {
    type: 'object',
    required: ['received'],
    properties: { received: { type: 'boolean', example: true } },
  },
};
/** The provider's own; `type` of the card processor, `event_type` of the wallet provider. */
const MESSAGE = (example: object) => ({ schema: { type: 'object', additionalProperties: true, example } });

@ApiTags('Payments')
@Controller('donations')
export class PaymentsController {
  constructor(
    private readonly intents: IntentsService,
    private readonly webhooks: WebhooksService,
  ) {}

  @Post('intent')
  @Public()
  @ApiOperation({ summary: "Start an online donation: the answer is for the provider's own form or page" })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body give the first answer again',
  })
  @ApiExtraModels(CardIntentDto, WalletIntentDto)
  @ApiCreatedResponse({ schema: intentSchema })
  @ApiErrors(400, 404, 409, 429, 503)
  create(@Body() dto: CreateIntentDto, @Ip() ip: string, @Headers('idempotency-key') key?: string) {
    return this.intents.create(dto, key, ip);
  }

  @Post('wallet/:orderId/capture')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Take the money of an order that the donor approved' })
  @ApiOkResponse({ type: CaptureDto })
  @ApiErrors(404, 409, 503)
  capture(@Param('orderId') orderId: string) {
    return this.intents.capture(orderId);
  }

  @Post('cardprocessor/webhook')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Webhook events of the card processor, verified by signature' })
  @ApiHeader({
    name: 'Cardprocessor-Signature',
    required: true,
    description: '`Stripe-Signature` is taken too',
  })
  @ApiBody(MESSAGE({ id: 'evt_1Qk', object: 'event', type: 'payment_intent.succeeded' }))
  @ApiOkResponse(RECEIVED)
  @ApiErrors(400, 413, 503)
  card(@Req() request: Request) {
    return this.webhooks.receive('card', request.body, request.headers);
  }

  @Post('wallet/webhook')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Webhook events of the wallet provider, verified by signature' })
  @ApiBody(MESSAGE({ id: 'WH-1', event_type: 'CHECKOUT.ORDER.COMPLETED' }))
  @ApiOkResponse(RECEIVED)
  @ApiErrors(400, 413, 503)
  wallet(@Req() request: Request) {
    return this.webhooks.receive('wallet', request.body, request.headers);
  }
}
