import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { CheckIns } from './check-in.service.js';
import { CheckedIn, CheckIn, WalkIn } from './dto/check-in.dto.js';
import { GuestCount, GuestList, ListGuests } from './dto/guest-list.dto.js';
import { CreateGuest, DeletedGuest, GuestDto, UpdateGuest } from './dto/guest.dto.js';
import { GuestLists } from './guest-list.service.js';
import { GuestsService } from './guests.service.js';

const EVENT = { name: 'id', description: 'Id or slug', example: 'summer-gala' };
const GUEST = { name: 'id', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };

@ApiTags('Guests')
@Controller()
export class GuestsController {
  constructor(
    private readonly guests: GuestsService,
    private readonly lists: GuestLists,
    private readonly checkIns: CheckIns,
  ) {}

  @Get('events/:id/guests')
  @Auth('guests:list')
  @ApiParam(EVENT)
  @ApiOperation({
    summary: 'List the guests of an event by name; volunteers see no e-mail addresses and phones',
  })
  @ApiOkResponse({ type: GuestList })
  @ApiErrors(400, 404, 429)
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: ListGuests): Promise<GuestList> {
    return this.lists.list(caller, id, query);
  }

  @Get('events/:id/guests/count')
  @Auth('guests:list')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Count the expected and the checked-in guests, in total and by table' })
  @ApiOkResponse({ type: GuestCount })
  @ApiErrors(404, 429)
  count(@Caller() caller: Principal, @Param('id') id: string): Promise<GuestCount> {
    return this.lists.count(caller, id);
  }

  @Get('events/:id/guests/export')
  @Auth('guests:manage')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Download all guests as CSV; an import reads the file without changes' })
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string', format: 'binary' } } } })
  @ApiErrors(404, 429)
  async file(@Caller() caller: Principal, @Param('id') id: string, @Res() response: Response): Promise<void> {
    const file = await this.lists.file(caller, id);
    response.set(downloadHeaders('guests.csv', 'text/csv; charset=utf-8')).end(file);
  }

  @Post('events/:id/guests')
  @Auth('guests:edit')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Add a guest' })
  @ApiCreatedResponse({ type: GuestDto })
  @ApiErrors(400, 404, 409, 429)
  create(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CreateGuest): Promise<GuestDto> {
    return this.guests.create(caller, id, body);
  }

  @Post('events/:id/guests/walk-ins')
  @Auth('guests:check-in')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'Add a guest who was not on the list, and check the guest in' })
  @ApiCreatedResponse({ type: CheckedIn })
  @ApiErrors(400, 404, 409, 429)
  walkIn(@Caller() caller: Principal, @Param('id') id: string, @Body() body: WalkIn): Promise<CheckedIn> {
    return this.checkIns.walkIn(caller, id, body);
  }

  @Patch('guests/:id')
  @Auth('guests:edit')
  @ApiParam(GUEST)
  @ApiOperation({ summary: 'Change fields of a guest' })
  @ApiOkResponse({ type: GuestDto })
  @ApiEditConflict()
  @ApiErrors(400, 404, 429)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateGuest): Promise<GuestDto> {
    return this.guests.update(caller, id, body);
  }

  @Delete('guests/:id')
  @Auth('guests:edit')
  @ApiParam(GUEST)
  @ApiOperation({ summary: 'Delete a guest; the donations of the guest remain' })
  @ApiOkResponse({ type: DeletedGuest })
  @ApiErrors(404, 429)
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<DeletedGuest> {
    return this.guests.remove(caller, id);
  }

  @Post('guests/:id/check-in')
  @HttpCode(200)
  @Auth('guests:check-in')
  @ApiParam(GUEST)
  @ApiOperation({ summary: 'Check a guest in and give a paddle; a repeat changes nothing' })
  @ApiOkResponse({ type: CheckedIn })
  @ApiErrors(400, 404, 409, 429)
  checkIn(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CheckIn): Promise<CheckedIn> {
    return this.checkIns.checkIn(caller, id, body);
  }

  @Delete('guests/:id/check-in')
  @Auth('guests:check-in')
  @ApiParam(GUEST)
  @ApiOperation({ summary: 'Remove a check-in that was a mistake; a repeat changes nothing' })
  @ApiOkResponse({ type: GuestDto })
  @ApiErrors(404, 429)
  undo(@Caller() caller: Principal, @Param('id') id: string): Promise<GuestDto> {
    return this.checkIns.undo(caller, id);
  }
}
