import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  ListOpenPledges,
  OpenPledgeList,
  PledgesOfEvent,
  ReceivedPledgesList,
} from './dto/open-pledge.dto.js';
import { PledgeConversionList } from './dto/pledge-conversion.dto.js';
import {
  ListPledgeRounds,
  OpenPledgeRound,
  PaymentLink,
  PledgeRemindersDto,
  PledgeRoundDto,
  PledgeRoundList,
  SendPledgeReminders,
} from './dto/pledge.dto.js';
import { OpenPledges } from './open-pledges.service.js';
import { PaymentLinks } from './payment-links.service.js';
import { PledgeReminders } from './pledge-reminders.service.js';
import { PledgeRounds } from './pledge-rounds.service.js';

@ApiTags('Pledges')
@Controller()
export class PledgesController {
  constructor(
    private readonly rounds: PledgeRounds,
    private readonly links: PaymentLinks,
    private readonly reminders: PledgeReminders,
    private readonly pledges: OpenPledges,
  ) {}

  @Get('pledge-rounds')
  @Auth('pledges:list')
  @ApiOperation({ summary: 'List the rounds of a paddle raise with the pledged amounts' })
  @ApiOkResponse({ type: PledgeRoundList })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() { eventId }: ListPledgeRounds) {
    return this.rounds.list(caller, eventId);
  }

  @Get('pledge-rounds/conversion')
  @Auth('pledges:read')
  @ApiOperation({
    summary: 'Get the outcome of the pledges of a paddle raise: open, kept, returned, withdrawn',
    description:
      'All figures are read at the same moment. Kept amounts are the amounts that the totals count now. `GET /donations` lists the rows of each figure with `roundId` and `pledge`.',
  })
  @ApiOkResponse({ type: PledgeConversionList })
  @ApiErrors(400, 404, 503)
  conversion(@Caller() caller: Principal, @Query() { eventId }: ListPledgeRounds) {
    return this.rounds.conversion(caller, eventId);
  }

  @Post('pledge-rounds')
  @Auth('pledges:round')
  @ApiOperation({
    summary: 'Start a round with an amount; pledges with its `roundId` count in it, live on the walls',
  })
  @ApiCreatedResponse({ type: PledgeRoundDto })
  @ApiErrors(400, 404, 409)
  open(@Caller() caller: Principal, @Body() body: OpenPledgeRound) {
    return this.rounds.open(caller, body);
  }

  @Post('pledge-rounds/:id/close')
  @HttpCode(200)
  @Auth('pledges:round')
  @ApiOperation({ summary: 'End a round; a repeat changes nothing' })
  @ApiOkResponse({ type: PledgeRoundDto })
  @ApiErrors(404)
  close(@Caller() caller: Principal, @Param('id') id: string) {
    return this.rounds.close(caller, id);
  }

  @Get('pledges/open')
  @Auth('pledges:read')
  @ApiOperation({ summary: 'List the unpaid pledges of an event with the last e-mail or letter about each' })
  @ApiOkResponse({ type: OpenPledgeList })
  @ApiErrors(400, 404)
  unpaid(@Caller() caller: Principal, @Query() query: ListOpenPledges) {
    return this.pledges.list(caller, query);
  }

  @Get('pledges/received')
  @Auth('pledges:read')
  @ApiOperation({
    summary: 'Get the share of the pledged money that has arrived',
    description: 'For all pledges of the event, and for those that are at least 30 days old.',
  })
  @ApiOkResponse({ type: ReceivedPledgesList })
  @ApiErrors(400, 404, 503)
  received(@Caller() caller: Principal, @Query() { eventId }: PledgesOfEvent) {
    return this.pledges.received(caller, eventId);
  }

  @Post('pledges/reminders')
  @HttpCode(202)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Remind the donors of unpaid pledges by e-mail, with a link to pay',
    description:
      'One e-mail covers all open pledges of a donor at an event. At most one reminder of a pledge in 24 hours. Between 20:00 ' +
      'and 08:00 at the event, the e-mail waits. Pledges without a reminder are listed with the reason.',
  })
  @ApiAcceptedResponse({ type: PledgeRemindersDto })
  @ApiErrors(503)
  remind(@Caller() caller: Principal, @Body() { donationIds }: SendPledgeReminders) {
    return this.reminders.send(caller, donationIds);
  }

  @Post('donations/:id/payment-link')
  @Auth('pledges:link')
  @ApiOperation({ summary: 'Create a payment link for a pledge; staff only for their own pledges' })
  @ApiCreatedResponse({ type: PaymentLink })
  @ApiErrors(404, 409)
  link(@Caller() caller: Principal, @Param('id') id: string) {
    return this.links.make(caller, id);
  }
}
