import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public, Viewer } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { AnswerAges } from '../common/http/kept-answers.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  DeletedEventDto,
  CreateEventDto,
  EventDetailDto,
  EventDto,
  ListedEventDto,
  PublicEventDto,
  UpdateEventDto,
  ListEventsDto,
} from './dto/event.dto.js';
import { EventLists } from './event-lists.service.js';
import { EventReads } from './event-reads.service.js';
import { EventRemoval } from './event-removal.service.js';
import { EventsService } from './events.service.js';
import { PublicEvents } from './public-events.service.js';

const ID_OR_SLUG = { description: 'Id or slug of the event', example: 'summer-gala' };

@ApiTags('Events')
@Controller('events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly reads: EventReads,
    private readonly publicEvents: PublicEvents,
    private readonly lists: EventLists,
    private readonly removal: EventRemoval,
    private readonly ages: AnswerAges,
  ) {}

  @Get()
  @Auth('events:list')
  @ApiOperation({
    summary: 'List all events with their totals, newest first; staff get their assigned events',
  })
  @ApiOkResponse({ type: [ListedEventDto] })
  @ApiErrors(400, 429)
  list(@Caller() caller: Principal, @Query() page: ListEventsDto): Promise<ListedEventDto[]> {
    return this.lists.for(caller, page);
  }

  @Get('public')
  @Public()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'List the active events with their totals, newest first' })
  @ApiOkResponse({ type: [PublicEventDto] })
  @ApiErrors(429)
  async listPublic(@Res({ passthrough: true }) response: Response): Promise<string> {
    const list = await this.publicEvents.list();
    this.ages.describe(response, list);
    return list.value;
  }

  @Get(':slug')
  @Public()
  @ApiOperation({
    summary: 'Get an event; drafts and archived events are visible only to admins and their own staff',
  })
  @ApiParam({ name: 'slug', ...ID_OR_SLUG })
  @ApiOkResponse({ type: EventDetailDto })
  @ApiErrors(404, 409, 429)
  read(
    @Param('slug') ref: string,
    @Viewer() viewer: Principal | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventDetailDto> {
    return this.reads.read(ref, viewer, (reading) => {
      this.ages.describe(response, reading);
    });
  }

  @Post()
  @Auth('events:create')
  @ApiOperation({ summary: 'Create an event' })
  @ApiCreatedResponse({ type: EventDto })
  @ApiErrors(400, 409, 413, 415, 429)
  create(@Body() body: CreateEventDto, @Caller() caller: Principal): Promise<EventDto> {
    return this.events.create(body, caller);
  }

  @Patch(':id')
  @Auth('events:update')
  @ApiOperation({
    summary: 'Change an event; 409 for a forbidden change of status, a slug in use, or a fixed currency',
  })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiOkResponse({ type: EventDto })
  @ApiEditConflict()
  @ApiErrors(400, 404, 413, 415, 429)
  update(
    @Param('id') ref: string,
    @Body() body: UpdateEventDto,
    @Caller() caller: Principal,
  ): Promise<EventDto> {
    return this.events.update(ref, body, caller);
  }

  @Delete(':id')
  @Auth('events:delete')
  @ApiOperation({ summary: 'Delete an event and its assignments; 409 when it has donations' })
  @ApiParam({ name: 'id', ...ID_OR_SLUG })
  @ApiOkResponse({ type: DeletedEventDto })
  @ApiErrors(404, 409, 429)
  remove(@Param('id') ref: string, @Caller() caller: Principal): Promise<DeletedEventDto> {
    return this.removal.remove(ref, caller);
  }
}
