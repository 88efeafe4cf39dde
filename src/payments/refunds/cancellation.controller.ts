import { Body, Controller, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { CancelDonationDto, CancellationDto } from './dto/cancellation.dto.js';
import { CancellationService } from './cancellation.service.js';

@ApiTags('Donations')
@Controller('donations')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  @Post(':id/cancel')
  @HttpCode(200)
  @Auth('donations:cancel')
  @ApiOperation({ summary: 'Cancel a donation, or refund all or part of it' })
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
