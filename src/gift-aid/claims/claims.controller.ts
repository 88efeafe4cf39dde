import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { ApiDownload } from '../../documents/download-docs.decorator.js';
import {
  ClaimCandidatesDto,
  ClaimDto,
  ClaimPeriodDto,
  ClaimPreviewDto,
  ClaimsDto,
  NewClaimDto,
} from '../dto/claim.dto.js';
import { GiftAidClaims } from './claims.service.js';

@ApiTags('Gift Aid')
@Controller('gift-aid/claims')
export class GiftAidClaimsController {
  constructor(private readonly claims: GiftAidClaims) {}

  @Get()
  @Auth('gift-aid:export')
  @ApiOperation({ summary: 'Claims of Gift Aid with their adjustments, newest first' })
  @ApiOkResponse({ type: ClaimsDto })
  list() {
    return this.claims.list();
  }

  @Get('preview')
  @Auth('gift-aid:export')
  @ApiOperation({ summary: 'Number and sum of the donations that a claim of a period would contain' })
  @ApiOkResponse({ type: ClaimPreviewDto })
  @ApiErrors(400)
  preview(@Query() period: ClaimPeriodDto) {
    return this.claims.preview(period);
  }

  @Get('preview/donations')
  @Auth('gift-aid:export')
  @ApiOperation({ summary: 'Donations that a claim of a period would contain' })
  @ApiOkResponse({ type: ClaimCandidatesDto })
  @ApiErrors(400)
  candidates(@Query() period: ClaimPeriodDto) {
    return this.claims.candidates(period);
  }

  @Post()
  @Auth('gift-aid:claim')
  @ApiOperation({
    summary: 'Make a claim of Gift Aid for a period',
    description:
      'Freezes the paid donations in pounds that a declaration covers, that are in no claim yet, and whose benefit is within the limits of HM ' +
      'Revenue and Customs: oldest first, at most 1,000. Contains the adjustments of earlier claims. `leftOut` leaves single donations out, which a later claim can contain. 409 `GIFT_AID_NOTHING_TO_CLAIM` without a donation.',
  })
  @ApiCreatedResponse({ type: ClaimDto })
  @ApiErrors(400, 409)
  create(@Caller() caller: Principal, @Body() claim: NewClaimDto) {
    return this.claims.create(caller, claim);
  }

  @Get(':id/schedule.ods')
  @Auth('gift-aid:export')
  @ApiOperation({
    summary: 'The schedule of a claim for HM Revenue and Customs, as OpenDocument spreadsheet',
    description:
      'The same bytes each time; `digest` of the claim is their SHA-256. 409 `GIFT_AID_CLAIM_EXPIRED` after the legal period of its declarations.',
  })
  @ApiDownload('application/vnd.oasis.opendocument.spreadsheet', 'The schedule')
  @ApiErrors(404, 409)
  schedule(@Caller() caller: Principal, @Param('id') id: string, @Res() response: Response) {
    return this.claims.schedule(caller, id, response);
  }
}
