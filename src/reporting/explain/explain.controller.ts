import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { DonationFilterDto } from '../../donations/dto/list-donations.dto.js';
import {
  AllTotalsExplainedDto,
  DonationTotalsDto,
  ExplainQuery,
  TotalExplainedDto,
} from './dto/explain.dto.js';
import { ExplainService } from './explain.service.js';
import { DonationStoryDto } from './dto/story.dto.js';
import { StoryService } from './story.service.js';

@ApiTags('Totals')
@Controller()
export class ExplainController {
  constructor(private readonly explain: ExplainService) {}

  @Get('events/:id/explain-total')
  @Auth('totals:explain')
  @ApiOperation({ summary: 'Explain the total of an event line by line; the lines always add up' })
  @ApiParam({ name: 'id', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiOkResponse({ type: TotalExplainedDto })
  @ApiErrors(400, 404, 409, 503)
  ofEvent(@Caller() caller: Principal, @Param('id') ref: string, @Query() { currency }: ExplainQuery) {
    return this.explain.ofEvent(caller, ref, currency);
  }

  @Get('totals/explain')
  @Auth('totals:explain')
  @ApiOperation({ summary: 'Explain the totals of all events together, by currency' })
  @ApiOkResponse({ type: AllTotalsExplainedDto })
  @ApiErrors(409, 503)
  ofAll() {
    return this.explain.ofAll();
  }

  @Get('donations/totals')
  @Auth('donations:list')
  @ApiOperation({ summary: 'Sum the donations that the list shows with the same filters' })
  @ApiOkResponse({ type: DonationTotalsDto })
  @ApiErrors(400, 404, 409, 503)
  ofFilter(@Caller() caller: Principal, @Query() filter: DonationFilterDto) {
    return this.explain.ofFilter(caller, filter);
  }
}

@ApiTags('Donations')
@Controller('donations')
export class StoryController {
  constructor(private readonly stories: StoryService) {}

  @Get(':id/story')
  @Auth('donations:story')
  @ApiOperation({
    summary:
      'Get the full story of a donation: payment, webhook events, refunds, disputes, receipts, e-mails, changes',
  })
  @ApiOkResponse({ type: DonationStoryDto })
  @ApiErrors(404)
  of(@Param('id') id: string) {
    return this.stories.of(id);
  }
}
