import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { type WallQuery, WallService } from './wall.service.js';
import { PageErrors } from '../page-errors.js';

@ApiTags('Live')
@Controller('wall')
@UseFilters(PageErrors)
export class WallController {
  constructor(private readonly wall: WallService) {}

  @Get(':slug')
  @Public()
  @ApiOperation({ summary: 'Show the donation wall of an event, a page for a projector' })
  @ApiParam({ name: 'slug', description: 'Id or slug of the event', example: 'summer-gala' })
  // An unknown value has the same effect as no value. It does not cause an error.
  @ApiQuery({
    name: 'lang',
    type: String,
    required: false,
    description: 'BCP 47; one of `locales.supported`',
    example: 'de',
  })
  @ApiQuery({
    name: 'mode',
    required: false,
    type: String,
    example: 'overlay',
    description: '`overlay`: transparent, for a video mixer',
  })
  @ApiQuery({
    name: 'show',
    type: String,
    required: false,
    example: 'feed',
    description:
      'Content of the overlay: `gauge`, `feed`, `alert` (one donation at a time), `board` (tables and teams), `milestones` or `code`',
  })
  @ApiQuery({
    name: 'position',
    type: String,
    required: false,
    example: 'bottom-left',
    description:
      'Place of the overlay: `top-left`, `top`, `top-right`, `left`, `center`, `right`, `bottom-left`, `bottom`, `bottom-right`',
  })
  @ApiQuery({
    name: 'size',
    type: String,
    required: false,
    example: '150',
    description: 'Size of the overlay in percent, from 25 to 300',
  })
  @ApiQuery({
    name: 'scene',
    required: false,
    type: String,
    example: 'qr',
    description:
      '`qr`: starts with the QR code in full screen; `board`: starts with the board of tables and teams',
  })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiErrors(404, 429)
  async page(
    @Param('slug') ref: string,
    @Query() query: WallQuery,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.wall.send(response, ref, query, request.accepts(['json', 'html']) === 'html');
  }
}
