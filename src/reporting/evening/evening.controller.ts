import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { StatisticsDto, StatisticsQuery } from './dto/statistics.dto.js';
import { TonightDto } from './dto/tonight.dto.js';
import { StatisticsService } from './statistics.service.js';
import { TonightService } from './tonight.service.js';

@ApiTags('Reports')
@Controller()
export class EveningController {
  constructor(
    private readonly evening: TonightService,
    private readonly figures: StatisticsService,
  ) {}

  @Get('events/:id/tonight')
  @Auth('evening:read')
  @ApiOperation({
    summary: 'Get the figures of a running event: totals, newest donations, staff, open work, providers',
  })
  @ApiParam({ name: 'id', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiOkResponse({ type: TonightDto })
  @ApiErrors(404, 409, 503)
  tonight(@Caller() caller: Principal, @Param('id') ref: string) {
    return this.evening.of(caller, ref);
  }

  @Get('statistics')
  @Auth('statistics:read')
  @ApiOperation({ summary: 'Get times and kinds of donations, compared with an earlier event' })
  @ApiOkResponse({ type: StatisticsDto })
  @ApiErrors(400, 404, 409, 503)
  statistics(@Caller() caller: Principal, @Query() query: StatisticsQuery) {
    return this.figures.of(caller, query);
  }
}
