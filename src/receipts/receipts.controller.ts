import { Controller, Get, Param, Query, Res, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags, ApiProperty, ApiAcceptedResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';
import { Text } from '../common/validation/field.decorators.js';
import { EmailDto } from '../mail/dto/email.dto.js';
import { ReceiptEmails } from './receipt-emails.service.js';

export class ReceiptsZipQuery {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}

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
      'The first request issues the number and returns the original. Later requests return the same receipt, marked as a copy. ' +
      'It is marked void if the donation was refunded or cancelled. Staff get the receipts of their own records.',
  })
  @ApiParam({ name: 'id', description: 'Donation id' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(404, 409, 429, 503)
  receipt(@Caller() caller: Principal, @Param('id') id: string, @Res() response: Response) {
    return this.downloads.one(caller, id, response);
  }
}

@ApiTags('Exports')
@Controller('donations/mine')
export class OwnReceiptController {
  constructor(private readonly downloads: ReceiptDownloads) {}

  @Get(':token/receipt')
  @Public()
  @ApiOperation({
    summary: "PDF receipt of one's own donation",
    description: 'Requires `donation.receiptDownload` of the event. The first request issues the number.',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(403, 404, 409, 429)
  receipt(@Param('token') token: string, @Res() response: Response): Promise<void> {
    return this.downloads.own(token, response);
  }
}

@ApiTags('E-mails')
@Controller('donations')
export class ReceiptEmailsController {
  constructor(private readonly emails: ReceiptEmails) {}

  @Post(':id/email-receipt')
  @HttpCode(202)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Send the receipt of a donation to its donor by e-mail',
    description:
      'Also sends the receipt of an offline donation, which is never sent automatically. A repeat sends it again.',
  })
  @ApiAcceptedResponse({ type: EmailDto })
  @ApiErrors(404, 409, 503)
  send(@Caller() caller: Principal, @Param('id') id: string) {
    return this.emails.request(caller, id);
  }
}
