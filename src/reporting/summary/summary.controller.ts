import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { SummaryDownloads } from './summary-downloads.service.js';
import { EventSummaryDto, SummaryQuery } from './summary.dto.js';

const FILE = { schema: { type: 'string', format: 'binary' } } as const;

@ApiTags('Reports')
@Controller('events')
export class SummaryController {
  constructor(private readonly downloads: SummaryDownloads) {}

  @Get(':id/summary')
  @Auth('reports:read')
  @ApiOperation({
    summary: 'Summarize an event: by kind, person and hour, with fees, refunds, disputes and payouts',
  })
  @ApiParam({ name: 'id', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiExtraModels(EventSummaryDto)
  @ApiOkResponse({
    description: 'JSON, a file to print, or a file for a spreadsheet',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(EventSummaryDto) } },
      'text/csv': FILE,
      'application/pdf': FILE,
    },
  })
  @ApiErrors(400, 404, 409, 503)
  of(
    @Caller() caller: Principal,
    @Param('id') ref: string,
    @Query() { format }: SummaryQuery,
    @Res() response: Response,
  ): Promise<void> {
    return this.downloads.send(caller, ref, format ?? 'json', response);
  }
}
