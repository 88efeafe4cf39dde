import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import {
  CardBatchDto,
  CardBatchList,
  CardChargesOfEvent,
  GuestCardLinkDto,
  ReadyPledgeList,
  StartCardCharges,
} from '../dto/card-charge.dto.js';
import { CardBatches } from './card-batches.service.js';
import { GuestCardLinks } from './guest-card-links.service.js';

const ID = { name: 'id', format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };

@ApiTags('Saved cards')
@Controller()
export class CardChargesController {
  constructor(
    private readonly batches: CardBatches,
    private readonly links: GuestCardLinks,
  ) {}

  @Get('guests/:id/card')
  @Auth('guests:card')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Get the address of the page on which a guest saves a card for pledges' })
  @ApiOkResponse({ type: GuestCardLinkDto })
  @ApiErrors(404, 409, 429, 503)
  link(@Caller() caller: Principal, @Param('id') id: string): Promise<GuestCardLinkDto> {
    return this.links.of(caller, id);
  }

  @Get('card-charges/ready')
  @Auth('pledges:read')
  @ApiOperation({
    summary: 'List the open pledges of guests with a saved card, and their sum',
    description: 'Changes nothing. A pledge that cannot be charged is listed with the reason.',
  })
  @ApiOkResponse({ type: ReadyPledgeList })
  @ApiErrors(400, 404)
  ready(@Caller() caller: Principal, @Query() { eventId }: CardChargesOfEvent): Promise<ReadyPledgeList> {
    return this.batches.ready(caller, eventId);
  }

  @Get('card-charges')
  @Auth('pledges:read')
  @ApiOperation({ summary: 'List the charges of saved cards at an event, by batch' })
  @ApiOkResponse({ type: CardBatchList })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() { eventId }: CardChargesOfEvent): Promise<CardBatchList> {
    return this.batches.list(caller, eventId);
  }

  @Post('card-charges')
  @Auth('pledges:charge')
  @ApiOperation({
    summary:
      'Announce the charges of all ready pledges by e-mail; each card is charged a day after its notice',
    description:
      'An event has one open batch at most; a second request returns it. With `ready.secondAdmin` and above `ready.confirmAbove`, the batch waits for a second ' +
      'admin. The number and the sum must be those that the caller has seen.',
  })
  @ApiCreatedResponse({ type: CardBatchDto })
  @ApiErrors(400, 404, 409, 503)
  start(@Caller() caller: Principal, @Body() body: StartCardCharges): Promise<CardBatchDto> {
    return this.batches.start(caller, body);
  }

  @Post('card-charges/:id/confirm')
  @HttpCode(200)
  @Auth('pledges:charge')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Confirm charges that wait for a second admin; a repeat changes nothing' })
  @ApiOkResponse({ type: CardBatchDto })
  @ApiErrors(404, 409, 503)
  confirm(@Caller() caller: Principal, @Param('id') id: string): Promise<CardBatchDto> {
    return this.batches.confirm(caller, id);
  }

  @Post('card-charges/:id/stop')
  @HttpCode(200)
  @Auth('pledges:charge')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Stop the charges of a batch that were not made yet; a repeat changes nothing' })
  @ApiOkResponse({ type: CardBatchDto })
  @ApiErrors(404)
  stop(@Caller() caller: Principal, @Param('id') id: string): Promise<CardBatchDto> {
    return this.batches.stop(caller, id);
  }
}
