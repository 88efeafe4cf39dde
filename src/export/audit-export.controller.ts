import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditFilter } from '../audit/dto/audit.dto.js';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AuditDownload } from './audit-download.service.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';

@ApiTags('Audit')
@Controller('audit')
export class AuditExportController {
  constructor(private readonly download: AuditDownload) {}

  @Get('export')
  @Auth('audit:read')
  @ApiOperation({
    summary: 'The audit as CSV, newest first',
    description:
      'The filters of the list. UTF-8 with a byte order mark, CRLF, a header record; `detail` is JSON. ' +
      'A text that a spreadsheet would run as a formula begins with an apostrophe.',
  })
  @ApiDownload('text/csv', 'The entries; streamed')
  @ApiErrors(400, 429, 503)
  export(
    @Caller() caller: Principal,
    @Query() filter: AuditFilter,
    @Res() response: Response,
  ): Promise<void> {
    return this.download.csv(caller, filter, response);
  }
}
