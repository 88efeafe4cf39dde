import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { ApiDownload } from '../../documents/download-docs.decorator.js';
import { ListSealedReceiptsDto, OpenedReceiptDto, SealedReceiptListDto } from '../dto/sealed-receipt.dto.js';
import { SealedReceipts } from './sealed-receipts.service.js';

const NUMBER = { name: 'number', description: 'Number of the receipt, such as `2026-000042`' };

@ApiTags('Exports')
@Controller('export/sealed-receipts')
export class SealedReceiptsController {
  constructor(private readonly sealed: SealedReceipts) {}

  @Get()
  @Auth('sealed-receipts:list')
  @ApiOperation({
    summary: 'Sealed receipts of erased donors, without their content',
    description:
      'Receipts for the tax office (`receipts.pack`) whose donor was erased. They are encrypted, and deleted after `keepUntil`.',
  })
  @ApiOkResponse({ type: SealedReceiptListDto })
  @ApiErrors(400)
  list(@Query() query: ListSealedReceiptsDto) {
    return this.sealed.list(query);
  }

  @Get('csv')
  @Auth('sealed-receipts:export')
  @ApiOperation({
    summary: 'All sealed receipts with their content as CSV',
    description:
      'A record for each donation. `isReadable` is false if the key of a receipt is missing. The audit log has an entry of each download.',
  })
  @ApiDownload('text/csv', 'Name and address of the donor, day and amount; streamed')
  @ApiErrors(503)
  csv(@Caller() caller: Principal, @Res() response: Response) {
    return this.sealed.csv(caller, response);
  }

  @Get(':number')
  @Auth('sealed-receipts:read')
  @ApiOperation({
    summary: 'Open a sealed receipt',
    description:
      'The audit log has an entry of each look. 409 `SEALED_RECEIPT_UNREADABLE` if `PIN_SECRET` no longer has the key of the receipt.',
  })
  @ApiParam(NUMBER)
  @ApiOkResponse({ type: OpenedReceiptDto })
  @ApiErrors(404, 409)
  open(@Caller() caller: Principal, @Param('number') number: string) {
    return this.sealed.open(caller, number);
  }

  @Get(':number/copy')
  @Auth('sealed-receipts:read')
  @ApiOperation({
    summary: 'Copy of a sealed receipt as PDF',
    description: 'The same text as the original, marked as a copy. The audit log has an entry of each copy.',
  })
  @ApiParam(NUMBER)
  @ApiDownload('application/pdf', 'The copy, A4')
  @ApiErrors(404, 409)
  copy(@Caller() caller: Principal, @Param('number') number: string, @Res() response: Response) {
    return this.sealed.copy(caller, number, response);
  }
}
