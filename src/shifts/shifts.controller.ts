import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AuthLimited } from '../auth/limits/rate-limit.decorators.js';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  CountShift,
  ListShifts,
  OpenShift,
  ShiftDto,
  ShiftList,
  SignShift,
  TillReport,
} from './dto/shift.dto.js';
import { ShiftViews } from './shift-views.service.js';
import { Shifts } from './shifts.service.js';

@ApiTags('Shifts')
@Controller('shifts')
export class ShiftsController {
  constructor(
    private readonly shifts: Shifts,
    private readonly views: ShiftViews,
  ) {}

  @Get()
  @Auth('shifts:list')
  @ApiOperation({ summary: 'List shifts; staff see only their own' })
  @ApiOkResponse({ type: ShiftList })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListShifts) {
    return this.views.list(caller, query);
  }

  @Post()
  @Auth('shifts:open')
  @ApiOperation({ summary: 'Open a shift with the opening float' })
  @ApiCreatedResponse({ type: ShiftDto })
  @ApiErrors(400, 409)
  open(@Caller() caller: Principal, @Body() { openingFloat }: OpenShift) {
    return this.shifts.open(caller, openingFloat);
  }

  @Get('current')
  @Auth('shifts:open')
  @ApiOperation({
    summary: "Get one's own open shift on this terminal, or the shift that waits for its signature",
  })
  @ApiOkResponse({ type: ShiftDto })
  @ApiErrors(404)
  current(@Caller() caller: Principal) {
    return this.shifts.current(caller);
  }

  @Get(':id')
  @Auth('shifts:list')
  @ApiOperation({ summary: 'Get a shift' })
  @ApiOkResponse({ type: ShiftDto })
  @ApiErrors(404)
  get(@Caller() caller: Principal, @Param('id') id: string) {
    return this.views.get(caller, id);
  }

  @Post(':id/count')
  @HttpCode(200)
  @Auth('shifts:count')
  @ApiOperation({ summary: 'Record the count of a drawer' })
  @ApiOkResponse({ type: ShiftDto })
  @ApiErrors(400, 404, 409)
  count(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CountShift) {
    return this.shifts.count(caller, id, body);
  }

  @Post(':id/recount')
  @HttpCode(200)
  @Auth('shifts:count')
  @ApiOperation({
    summary: 'Count a counted drawer again before the second signature; the first count stays',
  })
  @ApiOkResponse({ type: ShiftDto })
  @ApiErrors(400, 404, 409)
  recount(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CountShift) {
    return this.shifts.recount(caller, id, body);
  }

  @Post(':id/sign')
  @HttpCode(200)
  @Auth('shifts:count')
  @AuthLimited('session')
  @ApiOperation({ summary: 'Close a counted shift with the PIN of another member' })
  @ApiOkResponse({ type: ShiftDto })
  @ApiErrors(400, 404, 409, 429)
  sign(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { code }: SignShift,
    @Req() request: Request,
  ) {
    return this.shifts.sign(caller, id, code, request);
  }
}

@ApiTags('Shifts')
@Controller('events')
export class TillReportController {
  constructor(private readonly views: ShiftViews) {}

  @Get(':id/till-report')
  @Auth('shifts:list')
  @ApiOperation({
    summary:
      'Sum the offline donations by terminal, person, kind and state, with the shifts; staff see only their own',
  })
  @ApiOkResponse({ type: TillReport })
  @ApiErrors(404, 409)
  report(@Caller() caller: Principal, @Param('id') id: string) {
    return this.views.tillReport(caller, id);
  }
}
