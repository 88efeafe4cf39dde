import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ChangesService } from './changes.service.js';
import { Changes, ListChanges } from './dto/change.dto.js';

@ApiTags('Changes')
@Controller('changes')
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Get()
  @Auth('changes:read')
  @ApiOperation({
    summary: 'List changes in their order, from a cursor on',
    description:
      'For programs that copy the data. Every change comes at least once, in order for each event, if the program stores ' +
      '`next` only after it has processed `data`. Changes are kept for 48 hours; after that the answer has `resync: true`.',
  })
  @ApiOkResponse({ type: Changes })
  @ApiErrors(400, 429)
  list(
    @Caller() caller: Principal,
    @Query() query: ListChanges,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Changes> {
    return this.changes.list(caller, query, (end) => response.once('close', end));
  }
}
