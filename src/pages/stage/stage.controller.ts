import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { PageErrors } from '../page-errors.js';
import { StageService } from './stage.service.js';

@ApiTags('Live')
@Controller('stage')
@UseFilters(PageErrors)
export class StageController {
  constructor(private readonly stage: StageService) {}

  @Get(':slug')
  @Public()
  @ApiOperation({
    summary: 'Show the page for the speaker of an event: total, next milestone, raise, and names to thank',
  })
  @ApiParam({ name: 'slug', description: 'Id or slug of the event', example: 'summer-gala' })
  // An unknown value has the same effect as no value. It does not cause an error.
  @ApiQuery({
    name: 'lang',
    type: String,
    required: false,
    description: 'BCP 47; one of `locales.supported`',
    example: 'de',
  })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiErrors(404, 429)
  async page(
    @Param('slug') ref: string,
    @Query('lang') lang: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.stage.send(response, ref, lang, request.headers['accept-language']);
  }
}
