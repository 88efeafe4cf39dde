import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AssignmentsService } from './assignments.service.js';
import { AssignedStaff, Assignment, ListStaff, Removed } from './dto/staff.dto.js';

const STAFF_ID = { name: 'staffId', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };

@ApiTags('Events')
@ApiParam({ name: 'id', description: 'Id or slug of the event', example: 'summer-gala' })
@Controller('events/:id/staff')
export class AssignmentsController {
  constructor(private readonly assignments: AssignmentsService) {}

  @Get()
  @Auth('staff:list-at-event')
  @ApiOperation({ summary: 'List the staff of an event; admins also get PINs, unless `pins=false`' })
  @ApiOkResponse({ type: [AssignedStaff] })
  @ApiErrors(400, 404, 429)
  list(
    @Caller() caller: Principal,
    @Param('id') event: string,
    @Query() { pins }: ListStaff,
  ): Promise<AssignedStaff[]> {
    return this.assignments.list(caller, event, { pins });
  }

  @Post(':staffId')
  @ApiParam(STAFF_ID)
  @Auth('staff:assign')
  @ApiOperation({ summary: 'Assign a staff member to an event' })
  @ApiCreatedResponse({ type: Assignment })
  @ApiErrors(404, 429)
  assign(
    @Caller() caller: Principal,
    @Param('id') event: string,
    @Param('staffId') staffId: string,
  ): Promise<Assignment> {
    return this.assignments.assign(caller, event, staffId);
  }

  @Delete(':staffId')
  @ApiParam(STAFF_ID)
  @Auth('staff:assign')
  @ApiOperation({ summary: "Remove a staff member from an event and end the member's sessions there" })
  @ApiOkResponse({ type: Removed, description: 'The id in the path is the id of the staff member' })
  @ApiErrors(404, 429)
  unassign(
    @Caller() caller: Principal,
    @Param('id') event: string,
    @Param('staffId') staffId: string,
  ): Promise<Removed> {
    return this.assignments.unassign(caller, event, staffId);
  }
}
