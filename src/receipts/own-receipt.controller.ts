import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';

@ApiTags('Exports')
@Controller('donations/mine')
export class OwnReceiptController {
  constructor(private readonly downloads: ReceiptDownloads) {}

  @Get(':token/receipt')
  @Public()
  @ApiOperation({
    summary: 'PDF receipt of the own donation, for its donor',
    description:
      'Where `donation.receiptDownload` of the event allows it. The first request issues the number.',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(403, 404, 409, 429)
  receipt(@Param('token') token: string, @Res() response: Response): Promise<void> {
    return this.downloads.own(token, response);
  }
}
