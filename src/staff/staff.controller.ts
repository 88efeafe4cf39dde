import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  AssignedStaff,
  CreateManyStaff,
  CreateStaff,
  ListStaff,
  Removed,
  StaffMember,
  UpdateStaff,
} from './dto/staff.dto.js';
import { StaffService } from './staff.service.js';

const STAFF_ID = { name: 'id', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };

@ApiTags('Staff members')
@Controller('staff')
export class StaffController {
  constructor(private readonly staff: StaffService) {}

  @Get()
  @Auth('staff:list')
  @ApiOperation({ summary: 'List all staff members, with their PINs unless `pins=false`' })
  @ApiOkResponse({ type: [AssignedStaff] })
  @ApiErrors(400, 429)
  list(@Caller() caller: Principal, @Query() { pins }: ListStaff): Promise<AssignedStaff[]> {
    return this.staff.list(caller, { pins });
  }

  @Get(':id')
  @Auth('staff:list')
  @ApiParam(STAFF_ID)
  @ApiOperation({ summary: 'Get a staff member' })
  @ApiOkResponse({ type: StaffMember })
  @ApiErrors(404, 429)
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<StaffMember> {
    return this.staff.get(caller, id);
  }

  @Post()
  @Auth('staff:create')
  @ApiOperation({ summary: 'Add a staff member; the PIN is generated if absent' })
  @ApiCreatedResponse({ type: StaffMember })
  @ApiErrors(400, 409, 429)
  create(@Caller() caller: Principal, @Body() body: CreateStaff): Promise<StaffMember> {
    return this.staff.create(caller, body);
  }

  @Post('many')
  @Auth('staff:create')
  @ApiOperation({
    summary: 'Add several staff members with random PINs, all or none, and assign them to an event',
  })
  @ApiCreatedResponse({ type: [StaffMember] })
  @ApiErrors(400, 404, 409, 429)
  createMany(@Caller() caller: Principal, @Body() body: CreateManyStaff): Promise<StaffMember[]> {
    return this.staff.createMany(caller, body);
  }

  @Put(':id')
  @Auth('staff:update')
  @ApiParam(STAFF_ID)
  @ApiOperation({
    summary: 'Rename a staff member or replace the PIN; a new PIN ends all sessions of the member',
  })
  @ApiOkResponse({ type: StaffMember })
  @ApiEditConflict()
  @ApiErrors(400, 404, 429)
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateStaff,
  ): Promise<StaffMember> {
    return this.staff.update(caller, id, body);
  }

  @Delete(':id')
  @Auth('staff:delete')
  @ApiParam(STAFF_ID)
  @ApiOperation({ summary: 'Remove a staff member; sessions end, the PIN becomes free, donations remain' })
  @ApiOkResponse({ type: Removed })
  @ApiErrors(404, 429)
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<Removed> {
    return this.staff.remove(caller, id);
  }
}
