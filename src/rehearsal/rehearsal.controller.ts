import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { RehearsalDto, StartRehearsal } from './dto/rehearsal.dto.js';
import { Rehearsals } from './rehearsals.service.js';

@ApiTags('Rehearsals')
@ApiParam({ name: 'id', description: 'Id or slug of the real event', example: 'summer-gala' })
@Controller('events/:id/rehearsal')
export class RehearsalController {
  constructor(private readonly rehearsals: Rehearsals) {}

  @Get()
  @Auth('rehearsals:read')
  @ApiOperation({ summary: 'Get the rehearsal of an event' })
  @ApiOkResponse({ type: RehearsalDto })
  @ApiErrors(404, 429)
  get(@Param('id') id: string): Promise<RehearsalDto> {
    return this.rehearsals.get(id);
  }

  @Post()
  @Auth('rehearsals:manage')
  @ApiOperation({
    summary: 'Start a rehearsal: a copy of the event on which the team plays the evening',
    description:
      'The copy is in no list, statistic, file or message of the organization. A payment provider with live keys takes no ' +
      'payments for it. It ends by itself after 14 days without use.',
  })
  @ApiCreatedResponse({ type: RehearsalDto })
  @ApiErrors(400, 404, 409, 413, 415, 429)
  start(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: StartRehearsal,
  ): Promise<RehearsalDto> {
    return this.rehearsals.start(caller, id, body);
  }

  @Delete()
  @HttpCode(202)
  @Auth('rehearsals:manage')
  @ApiOperation({ summary: 'End a rehearsal and delete all its data in the background' })
  @ApiAcceptedResponse({ type: RehearsalDto })
  @ApiErrors(404, 429)
  end(@Caller() caller: Principal, @Param('id') id: string): Promise<RehearsalDto> {
    return this.rehearsals.end(caller, id);
  }
}
