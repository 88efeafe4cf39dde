import { Body, Controller, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { DonationDto } from '../donations/dto/donation.dto.js';
import {
  FoundReferencesDto,
  ReceivedTransfersDto,
  ReceiveTransfer,
  ReceiveTransfers,
  SearchReferences,
} from './dto/received-transfer.dto.js';
import { PaymentParts } from './payment-part.service.js';
import { TransfersApart } from './transfers-apart.service.js';
import { ReceivedTransfers } from './received-transfers.service.js';

@ApiTags('Bank transfers')
@Controller()
export class TransfersController {
  constructor(
    private readonly transfers: ReceivedTransfers,
    private readonly apart: TransfersApart,
  ) {}

  @Post('transfers/search')
  @HttpCode(200)
  @Auth('transfers:receive')
  @ApiOperation({
    summary: 'Find the references of bank transfers in a pasted text; changes nothing',
    description: 'Finds references with spaces, dashes and line breaks. Amounts are not read.',
  })
  @ApiOkResponse({ type: FoundReferencesDto })
  @ApiErrors(400)
  search(@Body() { text }: SearchReferences) {
    return this.transfers.search(text);
  }

  @Post('transfers/receive')
  @HttpCode(200)
  @Auth('transfers:receive')
  @ApiOperation({
    summary: 'Mark several bank transfers as received in full',
    description: 'Each transfer is booked once. Transfers that cannot be booked are listed with the reason.',
  })
  @ApiOkResponse({ type: ReceivedTransfersDto })
  @ApiErrors(400)
  receiveAll(@Caller() caller: Principal, @Body() { donationIds, receivedOn }: ReceiveTransfers) {
    return this.transfers.receiveAll(caller, donationIds, receivedOn);
  }

  @Post('donations/:id/receive')
  @HttpCode(200)
  @Auth('transfers:receive')
  @ApiOperation({
    summary: 'Mark a bank transfer as received, with its day and amount',
    description:
      'If a pledge was paid with another amount, send `amountDiffers` to pay it with this amount, or `asOwnDonation` to book a ' +
      'donation of its own.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Required with `asOwnDonation`: a repeat with the same key returns the first donation',
  })
  @ApiOkResponse({ type: DonationDto })
  @ApiErrors(400, 404, 409)
  receive(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ReceiveTransfer,
    @Headers('idempotency-key') key?: string,
  ) {
    return body.asOwnDonation
      ? this.apart.book(caller, id, body, key)
      : this.transfers.receive(caller, id, body);
  }
}

@ApiTags('Bank transfers')
@Controller('donations/mine')
export class OwnPaymentPartController {
  constructor(private readonly parts: PaymentParts) {}

  @Get(':token/qr-bill')
  @Public()
  @ApiOperation({ summary: "PDF of the Swiss QR-bill of one's own donation, 210 × 105 mm" })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiDownload('application/pdf', 'The receipt and the payment part')
  @ApiErrors(404, 429)
  async qrBill(@Param('token') token: string, @Res() response: Response): Promise<void> {
    const { fileName, file } = await this.parts.own(token);
    response.set(downloadHeaders(fileName, 'application/pdf')).end(file);
  }
}
