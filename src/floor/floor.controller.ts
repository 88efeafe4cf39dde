import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  AskFloor,
  FloorInbox,
  FloorMessageDto,
  FloorOverview,
  FloorRequestDto,
  ListFloor,
  OwnFloorRequest,
  ReadFloorMessage,
  SendFloorMessage,
} from './dto/floor.dto.js';
import { FloorInboxes } from './floor-inbox.service.js';
import { FloorMessages } from './floor-messages.service.js';

@ApiTags('Floor messages')
@Controller()
export class FloorController {
  constructor(
    private readonly messages: FloorMessages,
    private readonly inboxes: FloorInboxes,
  ) {}

  @Get('floor-messages')
  @Auth('floor:list')
  @ApiOperation({ summary: 'List messages to the tills with their readers, and open requests of tills' })
  @ApiOkResponse({ type: FloorOverview })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() { eventId }: ListFloor) {
    return this.messages.list(caller, eventId);
  }

  @Post('floor-messages')
  @Auth('floor:manage')
  @ApiOperation({
    summary: 'Send a message to all tills of an event, to one terminal, or to one member',
    description: 'Tills show it for four hours, until somebody presses "OK". It is deleted after 48 hours.',
  })
  @ApiCreatedResponse({ type: FloorMessageDto })
  @ApiErrors(400, 404, 429)
  send(@Caller() caller: Principal, @Body() body: SendFloorMessage) {
    return this.messages.send(caller, body);
  }

  @Get('floor-messages/inbox')
  @Auth('floor:ask')
  @ApiOperation({ summary: 'Get the unread messages for this till, and the own requests' })
  @ApiOkResponse({ type: FloorInbox })
  inbox(@Caller() caller: Principal) {
    return this.inboxes.of(caller);
  }

  @Post('floor-messages/:id/read')
  @HttpCode(200)
  @Auth('floor:ask')
  @ApiOperation({ summary: 'Mark a message as read by the member on this till' })
  @ApiOkResponse({ type: ReadFloorMessage })
  @ApiErrors(404)
  read(@Caller() caller: Principal, @Param('id') id: string) {
    return this.inboxes.read(caller, id);
  }

  @Post('floor-messages/:id/withdraw')
  @HttpCode(200)
  @Auth('floor:manage')
  @ApiOperation({ summary: 'Remove a message from the tills that have not read it' })
  @ApiOkResponse({ type: FloorMessageDto })
  @ApiErrors(404)
  withdraw(@Caller() caller: Principal, @Param('id') id: string) {
    return this.messages.withdraw(caller, id);
  }

  @Post('floor-requests')
  @Auth('floor:ask')
  @ApiOperation({
    summary: 'Ask the dashboard for change, for help, about a record, or about the card reader',
    description: 'An open request of the same member and kind is changed, and not repeated.',
  })
  @ApiCreatedResponse({ type: OwnFloorRequest })
  @ApiErrors(400, 429)
  ask(@Caller() caller: Principal, @Body() body: AskFloor) {
    return this.inboxes.ask(caller, body);
  }

  @Post('floor-requests/:id/see')
  @HttpCode(200)
  @Auth('floor:manage')
  @ApiOperation({
    summary: 'Show the till that its request was seen',
    description: 'A repeat changes nothing.',
  })
  @ApiOkResponse({ type: FloorRequestDto })
  @ApiErrors(404)
  see(@Caller() caller: Principal, @Param('id') id: string) {
    return this.messages.see(caller, id);
  }

  @Post('floor-requests/:id/close')
  @HttpCode(200)
  @Auth('floor:manage')
  @ApiOperation({ summary: 'Close a request of a till', description: 'A repeat changes nothing.' })
  @ApiOkResponse({ type: FloorRequestDto })
  @ApiErrors(404)
  close(@Caller() caller: Principal, @Param('id') id: string) {
    return this.messages.close(caller, id);
  }
}
