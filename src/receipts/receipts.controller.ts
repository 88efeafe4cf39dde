import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { ReceiptsZipQuery } from './dto/receipts-zip.query.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';

@ApiTags('Exports')
@Controller('export/receipts')
export class ReceiptsController {
  constructor(private readonly downloads: ReceiptDownloads) {}

  @Get('zip')
  @Auth('receipts:export')
  @ApiOperation({ summary: 'PDF receipts of all completed donations of an event, with manifest.csv' })
  @ApiDownload('application/zip', 'One PDF for each completed donation, and a manifest; streamed')
  @ApiErrors(400, 404, 429, 503)
  zip(@Caller() caller: Principal, @Query() query: ReceiptsZipQuery, @Res() response: Response) {
    return this.downloads.zip(caller, query.eventId, response);
  }

  @Get(':id')
  @Auth('receipts:read')
  @ApiOperation({
    summary: 'PDF receipt of one donation',
    description:
      'The first request issues the number and answers the original; later ones answer the same receipt marked as a copy. ' +
      'A receipt whose donation was refunded or cancelled since is marked void. Staff get the receipts of the donations they recorded.',
  })
  @ApiParam({ name: 'id', description: 'Donation id' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(404, 409, 429, 503)
  receipt(@Caller() caller: Principal, @Param('id') id: string, @Res() response: Response) {
    return this.downloads.one(caller, id, response);
  }
}
