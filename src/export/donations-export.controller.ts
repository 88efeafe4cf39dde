import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { DonationsDownload, XLSX } from './donations-download.service.js';
import { ExportDonationsDto } from './dto/export-donations.dto.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';

@ApiTags('Donations')
@Controller('donations')
export class DonationsExportController {
  constructor(private readonly download: DonationsDownload) {}

  @Get('export')
  @Auth('donations:export')
  @ApiOperation({
    summary: 'Donations as CSV or as a spreadsheet, newest first',
    description:
      'The filters of the list; without any, all donations. UTF-8 with a byte order mark, CRLF, a header record. ' +
      'Columns: the fields of a donation, then `amountDecimal`, `refundedAmountDecimal`, `eventName`, ' +
      '`fee`, `feeCurrency`, `refundPending`. ' +
      'A text that a spreadsheet would run as a formula begins with an apostrophe. ' +
      '`format=xlsx` is a workbook: real dates and numbers in the form of the reader’s country, local time, amounts in ' +
      'major units, texts that no spreadsheet runs; more than 1,048,575 donations continue on a further sheet. ' +
      '`format=npsp`, `civicrm` or `raisersedge` is a ZIP for this system: only COMPLETED donations, oldest first, less their ' +
      'refunds, with ids without personal data. Its README says how to import it.',
  })
  @ApiDownload(['text/csv', XLSX, 'application/zip'], 'The donations; streamed')
  @ApiErrors(400, 404, 429, 503)
  export(@Caller() caller: Principal, @Query() filter: ExportDonationsDto, @Res() response: Response) {
    return this.download.send(caller, filter, response);
  }
}
