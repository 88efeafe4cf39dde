import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AnswerAges } from '../common/http/kept-answers.js';
import { PublicMatchPoolDto } from './dto/public-match.dto.js';
import { PublicMatch } from './public-match.service.js';

@ApiTags('Match pools')
@Controller('events')
export class PublicMatchController {
  constructor(
    private readonly match: PublicMatch,
    private readonly ages: AnswerAges,
  ) {}

  @Get(':slug/match')
  @Public()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'List the match pools of a public event, in the order in which they match' })
  @ApiParam({ name: 'slug', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiOkResponse({ type: [PublicMatchPoolDto] })
  @ApiErrors(404, 429)
  async list(@Param('slug') ref: string, @Res({ passthrough: true }) response: Response): Promise<string> {
    const list = await this.match.list(ref);
    this.ages.describe(response, list);
    return list.value;
  }
}
