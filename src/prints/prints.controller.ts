import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { GuestListQuery, PosterQuery, TableCardsQuery, TeamCodesQuery } from './dto/print.dto.js';
import { Prints } from './prints.service.js';
import { TeamCodes } from './team-codes.service.js';

const EVENT = { name: 'id', description: 'Id or slug', example: 'summer-gala' };
const PDF = 'application/pdf';

@ApiTags('Events')
@Controller('events')
export class PrintsController {
  constructor(
    private readonly prints: Prints,
    private readonly codes: TeamCodes,
  ) {}

  @Get(':id/poster')
  @Auth('events:update')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Get a poster with the code of the donate page' })
  @ApiDownload(PDF, 'A poster on A4 or A3')
  @ApiErrors(400, 404, 429, 503)
  async poster(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PosterQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { slug, file } = await this.prints.poster(caller, id, query);
    response.set(downloadHeaders(`poster-${slug}-${query.paper ?? 'a4'}.pdf`, PDF)).end(file);
  }

  @Get(':id/table-cards')
  @Auth('events:update')
  @ApiParam(EVENT)
  @ApiOperation({
    summary: 'Get table cards with the code of the donate page',
    description:
      'The code of each card names its table as the source of the donation, such as `?from=table-7`.',
  })
  @ApiDownload(PDF, 'A6 cards, four on each A4 page')
  @ApiErrors(400, 404, 429, 503)
  async tableCards(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: TableCardsQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { slug, file } = await this.prints.tableCards(caller, id, query);
    response.set(downloadHeaders(`table-cards-${slug}.pdf`, PDF)).end(file);
  }

  @Get(':id/guests/print')
  @Auth('guests:manage')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Get the guest list on paper, with a box for each guest to tick' })
  @ApiDownload(PDF, 'The guests by table or by name')
  @ApiErrors(400, 404, 429, 503)
  async guestList(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: GuestListQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { slug, file } = await this.prints.guestList(caller, id, query);
    response.set(downloadHeaders(`guest-list-${slug}.pdf`, PDF)).end(file);
  }

  @Get(':id/teams/print')
  @Auth('teams:manage')
  @ApiParam(EVENT)
  @ApiOperation({
    summary: 'Get the codes of the tables, teams and persons of an event',
    description: 'Each code opens the donate page of its team, such as `?team=table-7`.',
  })
  @ApiDownload(PDF, 'Sheets, tent cards or small cards on A4')
  @ApiErrors(400, 404, 429, 503)
  async teamCodes(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: TeamCodesQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { slug, file } = await this.codes.draw(caller, id, query);
    response.set(downloadHeaders(`codes-${slug}.pdf`, PDF)).end(file);
  }
}
