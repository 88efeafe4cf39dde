import { applyDecorators, Controller, HttpCode, Post, Req, type Type } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import type { ProviderDefinition } from '../providers/provider-definition.js';
import { WebhooksService } from './webhooks.service.js';

const RECEIVED = {
  description: 'Committed',
  schema: {
    type: 'object',
    required: ['received'],
    properties: { received: { type: 'boolean', example: true } },
  },
};

/**
 * Creates the webhook controller of a provider. Each provider has its own controller, so that the API description
 * contains the webhook route of every provider.
 */
export function webhookControllerOf({ name, webhook }: ProviderDefinition): Type {
  @ApiTags('Payments')
  @Controller('donations')
  class WebhookController {
    constructor(private readonly webhooks: WebhooksService) {}

    @Post(`${webhook.path}/webhook`)
    @HttpCode(200)
    @Public()
    @ApiOperation({ operationId: `Payments_${name}Webhook`, summary: webhook.summary })
    @ApiHeaders(webhook.headers)
    @ApiBody({ schema: { type: 'object', additionalProperties: true, example: webhook.example } })
    @ApiOkResponse(RECEIVED)
    @ApiErrors(400, 413, 503)
    receive(@Req() request: Request) {
      return this.webhooks.receive(name, request.body, request.headers);
    }
  }
  return WebhookController;
}

const ApiHeaders = (headers: ProviderDefinition['webhook']['headers']) =>
  applyDecorators(...headers.map((header) => ApiHeader({ ...header })));
