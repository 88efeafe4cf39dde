import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { ListOpenReviewItemsDto, OpenReviewItemsDto } from './dto/open-review-items.dto.js';
import { ReviewItemDto } from './dto/review-item.dto.js';
import { ReviewService } from './review.service.js';

/** The path `donations/attention` is from version 0.1. It still exists for old clients. */
@ApiTags('Review items')
@Controller(['review-items', 'donations/attention'])
export class ReviewController {
  constructor(private readonly review: ReviewService) {}

  @Get()
  @Auth('reviews:list')
  @ApiOperation({
    summary: 'List the items that need attention: mismatches, late payments, failed refunds, disputes',
    description: 'Returns the newest 500. `GET /review-items/open` pages through all.',
  })
  @ApiOkResponse({ type: [ReviewItemDto] })
  open() {
    return this.review.open();
  }

  @Post(':id/resolve')
  @HttpCode(200)
  @Auth('reviews:resolve')
  @ApiOperation({ summary: 'Resolve an item' })
  @ApiOkResponse({ type: ReviewItemDto })
  @ApiErrors(404)
  resolve(@Caller() caller: Principal, @Param('id') id: string) {
    return this.review.resolve(caller, id);
  }
}

/** The same list in pages. */
@ApiTags('Review items')
@Controller('review-items')
export class OpenReviewController {
  constructor(private readonly review: ReviewService) {}

  @Get('open')
  @Auth('reviews:list')
  @ApiOperation({
    summary: 'List all items that need attention, in pages: items with a deadline first, then the newest',
  })
  @ApiOkResponse({ type: OpenReviewItemsDto })
  @ApiErrors(400)
  page(@Query() query: ListOpenReviewItemsDto) {
    return this.review.page(query);
  }

  @Get(':id')
  @Auth('reviews:list')
  @ApiOperation({ summary: 'Get an item, open or resolved' })
  @ApiOkResponse({ type: ReviewItemDto })
  @ApiErrors(404)
  one(@Param('id') id: string) {
    return this.review.one(id);
  }
}
