import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public, Viewer } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { GiftAidDeclarations } from './declarations.service.js';
import {
  CancelDeclarationDto,
  DeclarationDto,
  DeclarationOfDonationDto,
  GiftAidExportQuery,
  GiftAidTextDto,
  GiftAidTextQuery,
  WrittenDeclarationDto,
} from './dto/gift-aid.dto.js';
import { GiftAidExport } from './gift-aid-export.service.js';

@ApiTags('Gift Aid')
@Controller('gift-aid')
export class GiftAidController {
  constructor(
    private readonly declarations: GiftAidDeclarations,
    private readonly exported: GiftAidExport,
  ) {}

  @Get('text')
  @Public()
  @ApiOperation({
    summary: 'The text of the Gift Aid declaration of an event',
    description:
      'Show it unchanged, in English, before the donor declares. 409 `GIFT_AID_OFF` if the event does not offer Gift Aid.',
  })
  @ApiOkResponse({ type: GiftAidTextDto })
  @ApiErrors(400, 404, 409)
  text(@Viewer() viewer: Principal | undefined, @Query() { eventId }: GiftAidTextQuery) {
    return this.declarations.text(viewer, eventId);
  }

  @Get('donations/:id')
  @Auth('gift-aid:read')
  @ApiOperation({ summary: 'The Gift Aid declaration of a donation' })
  @ApiOkResponse({ type: DeclarationOfDonationDto })
  @ApiErrors(404)
  ofDonation(@Param('id') id: string) {
    return this.declarations.ofDonation(id);
  }

  @Post('donations/:id')
  @Auth('gift-aid:declare')
  @ApiOperation({
    summary: 'Enter a declaration that the donor signed on paper',
    description:
      'The donation is then marked with Gift Aid. 409 `GIFT_AID_DECLARED` if it has a declaration.',
  })
  @ApiCreatedResponse({ type: DeclarationDto })
  @ApiErrors(400, 404, 409)
  enter(@Caller() caller: Principal, @Param('id') id: string, @Body() dto: WrittenDeclarationDto) {
    return this.declarations.enter(caller, id, dto);
  }

  @Post('declarations/:id/cancel')
  @HttpCode(200)
  @Auth('gift-aid:cancel')
  @ApiOperation({
    summary: 'Cancel a Gift Aid declaration',
    description: 'Later donations no longer count as Gift Aid; earlier ones stay. A repeat changes nothing.',
  })
  @ApiOkResponse({ type: DeclarationDto })
  @ApiErrors(400, 404)
  cancel(@Caller() caller: Principal, @Param('id') id: string, @Body() dto: CancelDeclarationDto) {
    return this.declarations.cancel(caller, id, dto);
  }

  @Get('export')
  @Auth('gift-aid:export')
  @ApiOperation({
    summary: 'Paid donations with Gift Aid and their declarations, as CSV',
    description:
      'Contains also the declarations that are kept after the erasure of their donors. UTF-8 with a byte order mark, CRLF, a header record.',
  })
  @ApiDownload('text/csv', 'The donations; streamed')
  @ApiErrors(400, 429, 503)
  export(@Caller() caller: Principal, @Query() query: GiftAidExportQuery, @Res() response: Response) {
    return this.exported.csv(caller, query, response);
  }
}
