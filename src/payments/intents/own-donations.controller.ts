import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { OwnDonationDto } from './dto/own-donation.dto.js';
import { OwnDonations } from './own-donations.service.js';

@ApiTags('Payments')
@Controller('donations/mine')
export class OwnDonationsController {
  constructor(private readonly own: OwnDonations) {}

  @Get(':token')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'How the own donation stands, for its donor' })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiOkResponse({ type: OwnDonationDto })
  @ApiErrors(404, 429)
  read(@Param('token') token: string): Promise<OwnDonationDto> {
    return this.own.read(token);
  }
}
