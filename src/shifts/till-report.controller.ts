import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { TillReport } from './dto/shift.dto.js';
import { ShiftViews } from './shift-views.service.js';

@ApiTags('Shifts')
@Controller('events')
export class TillReportController {
  constructor(private readonly views: ShiftViews) {}

  @Get(':id/till-report')
  @Auth('shifts:list')
  @ApiOperation({
    summary:
      'What was recorded by hand, by terminal, person, kind and state, and the shifts; staff see their own',
  })
  @ApiOkResponse({ type: TillReport })
  @ApiErrors(404, 409)
  report(@Caller() caller: Principal, @Param('id') id: string) {
    return this.views.tillReport(caller, id);
  }
}
