import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { AnswerAges } from '../common/http/kept-answers.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import { Boards } from './boards.service.js';
import { BoardDto, BoardQuery } from './dto/board.dto.js';
import {
  CreateTables,
  CreateTablesOfGuests,
  CreateTeam,
  DeletedTeam,
  TeamDto,
  TeamList,
  UpdateTeam,
} from './dto/team.dto.js';
import { TeamsService } from './teams.service.js';

const EVENT = { name: 'id', description: 'Id or slug', example: 'summer-gala' };
const TEAM = { name: 'id', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };

@ApiTags('Teams')
@Controller()
export class TeamsController {
  constructor(
    private readonly teams: TeamsService,
    private readonly boards: Boards,
    private readonly ages: AnswerAges,
  ) {}

  @Get('events/:slug/board')
  @Public()
  @ApiParam({ ...EVENT, name: 'slug' })
  @ApiOperation({ summary: 'Get the board of the tables, teams and persons of an event' })
  @ApiOkResponse({ type: BoardDto })
  @ApiErrors(400, 404, 429)
  async board(
    @Param('slug') ref: string,
    @Query() { by }: BoardQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BoardDto> {
    const board = await this.boards.board(ref, by);
    this.ages.describe(response, board);
    return board.value;
  }

  @Get('events/:id/teams')
  @Auth('teams:list')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'List the tables, teams and persons of an event with their exact figures' })
  @ApiOkResponse({ type: TeamList })
  @ApiErrors(404, 429)
  list(@Caller() caller: Principal, @Param('id') id: string): Promise<TeamList> {
    return this.teams.list(caller, id);
  }

  @Post('events/:id/teams')
  @Auth('teams:manage')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Add a table, a team or a person' })
  @ApiCreatedResponse({ type: TeamDto })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  create(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CreateTeam): Promise<TeamDto> {
    return this.teams.create(caller, id, body);
  }

  @Post('events/:id/teams/tables')
  @Auth('teams:manage')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Add numbered tables; existing numbers stay unchanged' })
  @ApiCreatedResponse({ type: TeamList })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  createTables(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CreateTables,
  ): Promise<TeamList> {
    return this.teams.createTables(caller, id, body);
  }

  @Post('events/:id/teams/tables-of-guests')
  @Auth('teams:manage')
  @ApiParam(EVENT)
  @ApiOperation({
    summary: 'Add the tables of the guest list; existing tables stay unchanged',
    description: 'A new table has as many seats as guests.',
  })
  @ApiCreatedResponse({ type: TeamList })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  createTablesOfGuests(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CreateTablesOfGuests,
  ): Promise<TeamList> {
    return this.teams.createTablesOfGuests(caller, id, body);
  }

  @Patch('teams/:id')
  @Auth('teams:manage')
  @ApiParam(TEAM)
  @ApiOperation({ summary: 'Change a team; a former address stays valid for 90 days' })
  @ApiOkResponse({ type: TeamDto })
  @ApiEditConflict()
  @ApiErrors(400, 404, 413, 415, 429)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateTeam): Promise<TeamDto> {
    return this.teams.update(caller, id, body);
  }

  @Delete('teams/:id')
  @Auth('teams:manage')
  @ApiParam(TEAM)
  @ApiOperation({ summary: 'Delete a team without donations' })
  @ApiOkResponse({ type: DeletedTeam })
  @ApiErrors(404, 409, 429)
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<DeletedTeam> {
    return this.teams.remove(caller, id);
  }
}
