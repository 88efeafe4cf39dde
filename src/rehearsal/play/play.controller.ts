import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { PlayDto, PlayEvening } from './dto/play.dto.js';
import { Plays } from './plays.service.js';

@ApiTags('Rehearsals')
@ApiParam({ name: 'id', description: 'Id or slug of the real event', example: 'summer-gala' })
@Controller('events/:id/rehearsal/play')
export class PlayController {
  constructor(private readonly plays: Plays) {}

  @Get()
  @Auth('rehearsals:read')
  @ApiOperation({ summary: 'Get the progress and the figures of the played evening' })
  @ApiOkResponse({ type: PlayDto })
  @ApiErrors(404, 429)
  get(@Param('id') id: string): Promise<PlayDto> {
    return this.plays.get(id);
  }

  @Post()
  @HttpCode(202)
  @Auth('rehearsals:manage')
  @ApiOperation({
    summary: 'Play an evening in the rehearsal, with guests who give by themselves',
    description:
      'It stops when a real event has had a donation in the last ten minutes, or when records of tills take longer than 250 ms. ' +
      'Online gifts need a card provider with test keys; otherwise they are left out.',
  })
  @ApiAcceptedResponse({ type: PlayDto })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  start(@Caller() caller: Principal, @Param('id') id: string, @Body() body: PlayEvening): Promise<PlayDto> {
    return this.plays.start(caller, id, body);
  }

  @Delete()
  @Auth('rehearsals:manage')
  @ApiOperation({ summary: 'Stop the played evening' })
  @ApiOkResponse({ type: PlayDto })
  @ApiErrors(404, 429)
  stop(@Caller() caller: Principal, @Param('id') id: string): Promise<PlayDto> {
    return this.plays.stop(caller, id);
  }
}
