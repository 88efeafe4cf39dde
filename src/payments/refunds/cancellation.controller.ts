import { Body, Controller, Header, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller, Public } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { CancelDonationDto, CancellationDto } from './dto/cancellation.dto.js';
import { CancellationService } from './cancellation.service.js';
import { OwnDonationDto } from '../intents/dto/own-donation.dto.js';
import { OwnDonations } from '../intents/own-donations.service.js';

@ApiTags('Donations')
@Controller('donations')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  @Post(':id/cancel')
  @HttpCode(200)
  @Auth('donations:cancel')
  @ApiOperation({
    summary: 'Cancel a donation, or refund all or part of it',
    description:
      '409 `DONATION_DISPUTED`: an open dispute blocks the refund, because the provider refuses refunds until the dispute ' +
      'is decided. An inquiry, which has moved no money, blocks nothing.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Required with `amount`. A repeat with the same key returns the current state of the same refund',
  })
  @ApiOkResponse({ type: CancellationDto })
  @ApiErrors(400, 404, 409, 503)
  cancel(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() dto: CancelDonationDto,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.cancellation.cancel(caller, id, dto, key);
  }
}

@ApiTags('Payments')
@Controller('donations/mine')
export class OwnCancellationController {
  constructor(
    private readonly cancellation: CancellationService,
    private readonly own: OwnDonations,
  ) {}

  @Post(':token/cancel')
  @HttpCode(200)
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: "Cancel one's own unpaid donation, to pay in another way",
    description:
      'The payment is cancelled at the provider first. 409 if it is paid, or if money may still arrive: then do not ' +
      'ask the donor to pay again.',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiOkResponse({ type: OwnDonationDto })
  @ApiErrors(404, 409, 429, 503)
  async cancel(@Param('token') token: string): Promise<OwnDonationDto> {
    await this.cancellation.abandon(token);
    return await this.own.read(token);
  }
}
