import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { downloadHeaders } from '../../documents/http/send-download.js';
import { RehearsalReport, ReportQuery } from './dto/report.dto.js';
import { RehearsalReports } from './reports.service.js';

const PDF = 'application/pdf';

@ApiTags('Rehearsals')
@Controller()
export class RehearsalReportController {
  constructor(private readonly reports: RehearsalReports) {}

  @Get('events/:id/rehearsal/report')
  @Auth('rehearsals:read')
  @ApiParam({ name: 'id', description: 'Id or slug of the real event', example: 'summer-gala' })
  @ApiOperation({ summary: 'Get the checks of a rehearsal and the figures of its played evening' })
  @ApiExtraModels(RehearsalReport)
  @ApiOkResponse({
    description: 'JSON, or a file to print',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(RehearsalReport) } },
      [PDF]: { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiErrors(400, 404, 429, 503)
  async of(
    @Param('id') id: string,
    @Query() { format, language }: ReportQuery,
    @Res() response: Response,
  ): Promise<void> {
    if (format !== 'pdf') {
      response.json(await this.reports.of(id, language));
      return;
    }
    const { slug, file } = await this.reports.pdf(id, language);
    response.set(downloadHeaders(`${slug}.pdf`, PDF)).end(file);
  }

  @Get('rehearsal/seen/:token')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'token', description: 'The end of `phoneUrl` of the report' })
  @ApiOperation({
    summary: 'Record that a phone reached the server, and redirect it to the donate page of the rehearsal',
  })
  @ApiResponse({ status: 302, description: 'To the donate page' })
  @ApiErrors(404, 429)
  async seen(@Param('token') token: string, @Res() response: Response): Promise<void> {
    response.redirect(302, `/donate/${await this.reports.seen(token)}`);
  }
}
