import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  EnableWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointDto,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
} from './dto/webhook-endpoint.dto.js';
import {
  ListWebhookMessages,
  ReplayedWebhooks,
  ReplayWebhooks,
  ResentWebhook,
  WebhookMessageList,
  WebhookTestDto,
} from './dto/webhook-message.dto.js';
import { WebhookEndpoints } from './webhook-endpoints.service.js';
import { WebhookMessages } from './webhook-messages.service.js';

@ApiTags('Webhooks')
@Controller('webhook-endpoints')
export class WebhooksController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly messages: WebhookMessages,
  ) {}

  @Get()
  @Auth('webhooks:list')
  @ApiOperation({ summary: 'List the webhook endpoints with the figures of their messages' })
  @ApiOkResponse({ type: WebhookEndpointList })
  list() {
    return this.endpoints.list();
  }

  @Post()
  @Auth('webhooks:manage')
  @ApiOperation({
    summary: 'Create a webhook endpoint',
    description:
      'The answer contains the secret of the signatures, which is not shown again. At most 20 endpoints: then 409 ' +
      '`WEBHOOK_ENDPOINTS_LIMIT`. The address must use https, port 443 or 8443, and lead to no private network.',
  })
  @ApiCreatedResponse({ type: WebhookEndpointWithSecret })
  @ApiErrors(400, 409)
  create(@Caller() caller: Principal, @Body() body: CreateWebhookEndpoint) {
    return this.endpoints.create(caller, body);
  }

  @Get(':id')
  @Auth('webhooks:list')
  @ApiOperation({ summary: 'Get a webhook endpoint with the figures of its messages' })
  @ApiOkResponse({ type: WebhookEndpointDto })
  @ApiErrors(404)
  read(@Param('id') id: string) {
    return this.endpoints.read(id);
  }

  @Patch(':id')
  @Auth('webhooks:manage')
  @ApiOperation({
    summary: 'Change or pause a webhook endpoint',
    description: 'Messages that wait are sent to the changed address. A paused endpoint gets no messages.',
  })
  @ApiOkResponse({ type: WebhookEndpointDto })
  @ApiErrors(400, 404)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateWebhookEndpoint) {
    return this.endpoints.update(caller, id, body);
  }

  @Delete(':id')
  @Auth('webhooks:manage')
  @ApiOperation({ summary: 'Delete a webhook endpoint with its messages' })
  @ApiOkResponse({ type: DeletedWebhookEndpoint })
  @ApiErrors(404)
  remove(@Caller() caller: Principal, @Param('id') id: string) {
    return this.endpoints.remove(caller, id);
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @Auth('webhooks:manage')
  @ApiOperation({
    summary: 'Make a new secret; the one before signs too for 24 hours',
    description: 'The answer contains the new secret, which is not shown again.',
  })
  @ApiOkResponse({ type: WebhookEndpointWithSecret })
  @ApiErrors(404)
  rotateSecret(@Caller() caller: Principal, @Param('id') id: string) {
    return this.endpoints.rotateSecret(caller, id);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Auth('webhooks:manage')
  @ApiOperation({ summary: 'Send a message `test.ping` now and return the answer of the receiver' })
  @ApiOkResponse({ type: WebhookTestDto })
  @ApiErrors(404)
  test(@Param('id') id: string) {
    return this.messages.test(id);
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Auth('webhooks:manage')
  @ApiOperation({
    summary: 'Start a paused or disabled webhook endpoint again',
    description: '409 `WEBHOOK_ENDPOINT_ACTIVE` if it is active.',
  })
  @ApiOkResponse({ type: WebhookEndpointDto })
  @ApiErrors(400, 404, 409)
  enable(@Caller() caller: Principal, @Param('id') id: string, @Body() { missed }: EnableWebhookEndpoint) {
    return this.endpoints.enable(caller, id, missed);
  }

  @Get(':id/messages')
  @Auth('webhooks:list')
  @ApiOperation({ summary: 'List the messages of a webhook endpoint with their last attempts' })
  @ApiOkResponse({ type: WebhookMessageList })
  @ApiErrors(400, 404)
  listMessages(@Param('id') id: string, @Query() query: ListWebhookMessages) {
    return this.messages.list(id, query);
  }

  @Post(':id/messages/:message/resend')
  @HttpCode(200)
  @Auth('webhooks:manage')
  @ApiOperation({ summary: 'Send a message again, with the same id' })
  @ApiOkResponse({ type: ResentWebhook })
  @ApiErrors(404)
  resend(@Caller() caller: Principal, @Param('id') id: string, @Param('message') message: string) {
    return this.messages.resend(caller, id, message);
  }

  @Post(':id/replay')
  @HttpCode(200)
  @Auth('webhooks:manage')
  @ApiOperation({ summary: 'Send the messages of a period again, with the same ids' })
  @ApiOkResponse({ type: ReplayedWebhooks })
  @ApiErrors(400, 404)
  replay(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ReplayWebhooks) {
    return this.messages.replay(caller, id, body);
  }
}
