import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { DonationDto } from '../donations/dto/donation.dto.js';
import {
  CreateMatchPool,
  DeletedMatchPool,
  ListMatchDraws,
  ListMatchPools,
  MatchDrawList,
  MatchPoolDto,
  MatchPoolList,
  OpenMatchPool,
  SettleMatchPool,
  UpdateMatchPool,
} from './dto/match-pool.dto.js';
import { MatchSettlementList, SettleByDonation } from './dto/match-settlement.dto.js';
import { MatchPools } from './match-pools.service.js';
import { MatchSettlements } from './match-settlements.service.js';

@ApiTags('Match pools')
@Controller('match-pools')
export class MatchController {
  constructor(
    private readonly pools: MatchPools,
    private readonly settlements: MatchSettlements,
  ) {}

  @Get()
  @Auth('match:list')
  @ApiOperation({ summary: 'List the match pools of an event with their sums' })
  @ApiOkResponse({ type: MatchPoolList })
  @ApiErrors(400, 404)
  list(@Query() { eventId }: ListMatchPools) {
    return this.pools.list(eventId);
  }

  @Post()
  @Auth('match:manage')
  @ApiOperation({ summary: 'Create a match pool as a draft' })
  @ApiCreatedResponse({ type: MatchPoolDto })
  @ApiErrors(400, 404)
  create(@Caller() caller: Principal, @Body() body: CreateMatchPool) {
    return this.pools.create(caller, body);
  }

  @Get(':id')
  @Auth('match:list')
  @ApiOperation({ summary: 'Get a match pool with its sums' })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(404)
  read(@Param('id') id: string) {
    return this.pools.read(id);
  }

  @Patch(':id')
  @Auth('match:manage')
  @ApiOperation({
    summary: 'Change a match pool',
    description:
      'A draft and a scheduled pool may change in every field. While a pool is open or paused, only its name, matcher, logo, ' +
      'address, priority, due day, a later end and another sufficient cap: otherwise 409 `MATCH_POOL_RUNNING`. 409 ' +
      '`MATCH_POOL_CHANGED` if `version` is not the present one.',
  })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(400, 404, 409)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateMatchPool) {
    return this.pools.update(caller, id, body);
  }

  @Delete(':id')
  @Auth('match:manage')
  @ApiOperation({ summary: 'Delete a match pool without draws and payments' })
  @ApiOkResponse({ type: DeletedMatchPool })
  @ApiErrors(404, 409)
  remove(@Caller() caller: Principal, @Param('id') id: string) {
    return this.pools.remove(caller, id);
  }

  @Post(':id/open')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({
    summary: 'Open a match pool; a draft whose `opensAt` lies ahead becomes scheduled',
    description:
      'A scheduled pool opens now. With several open pools in the mode `all`, a sum of ratios above 30,000 needs `confirmed`.',
  })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(400, 404, 409)
  open(@Caller() caller: Principal, @Param('id') id: string, @Body() { confirmed }: OpenMatchPool) {
    return this.pools.open(caller, id, confirmed);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({ summary: 'Pause an open match pool; donations of this time do not draw' })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(404, 409)
  pause(@Caller() caller: Principal, @Param('id') id: string) {
    return this.pools.pause(caller, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({ summary: 'Open a paused match pool again' })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(400, 404, 409)
  resume(@Caller() caller: Principal, @Param('id') id: string, @Body() { confirmed }: OpenMatchPool) {
    return this.pools.resume(caller, id, confirmed);
  }

  @Post(':id/end')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({
    summary: 'End a match pool for later donations',
    description:
      'Earlier donations that arrive within the grace time still draw. Refunds lower the drawn sum.',
  })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(404, 409)
  end(@Caller() caller: Principal, @Param('id') id: string) {
    return this.pools.end(caller, id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({ summary: 'Cancel a match pool from which nothing was drawn' })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(404, 409)
  cancel(@Caller() caller: Principal, @Param('id') id: string) {
    return this.pools.cancel(caller, id);
  }

  @Post(':id/settle')
  @HttpCode(200)
  @Auth('match:manage')
  @ApiOperation({ summary: 'Close the books of an ended match pool: paid in full, or with a note why not' })
  @ApiOkResponse({ type: MatchPoolDto })
  @ApiErrors(400, 404, 409)
  settle(@Caller() caller: Principal, @Param('id') id: string, @Body() { note }: SettleMatchPool) {
    return this.pools.settle(caller, id, note ?? null);
  }

  @Get(':id/draws')
  @Auth('match:list')
  @ApiOperation({ summary: 'List the draws of a match pool, newest donation first' })
  @ApiOkResponse({ type: MatchDrawList })
  @ApiErrors(400, 404)
  draws(@Param('id') id: string, @Query() query: ListMatchDraws) {
    return this.pools.draws(id, query);
  }

  @Get(':id/settlements')
  @Auth('match:list')
  @ApiOperation({ summary: 'List the payments of the matcher' })
  @ApiOkResponse({ type: MatchSettlementList })
  @ApiErrors(404)
  payments(@Param('id') id: string) {
    return this.settlements.list(id);
  }

  @Post(':id/settlements')
  @Auth('match:manage')
  @ApiOperation({
    summary: 'Record a payment of the matcher as a donation, or count an existing donation as one',
    description: 'The payment is an ordinary donation with `matchPoolId`. It does not draw from a pool.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeat with the same key and body returns the first answer',
  })
  @ApiCreatedResponse({ type: DonationDto })
  @ApiErrors(400, 404, 409)
  pay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: SettleByDonation,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.settlements.add(caller, id, body, key);
  }
}
