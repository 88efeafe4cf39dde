import { Body, Controller, Get, Headers, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { DonationHistoryService } from './lifecycle/donation-history.service.js';
import { CorrectionsService } from './lifecycle/corrections.service.js';
import { DonationListService } from './list/donation-list.service.js';
import { HistoryEntryDto } from './dto/history.dto.js';
import { DonationDto, RecordedDonationDto } from './dto/donation.dto.js';
import { DonationListDto, ListDonationsDto } from './dto/list-donations.dto.js';
import { FulfilPledgeDto, RecordDonationDto } from './dto/record-donation.dto.js';
import { UpdateDonationDto } from './dto/update-donation.dto.js';
import { RecordingService } from './recording/recording.service.js';
import { UndoService } from './lifecycle/undo.service.js';

@ApiTags('Donations')
@Controller('donations')
export class DonationsController {
  constructor(
    private readonly recording: RecordingService,
    private readonly donations: DonationListService,
    private readonly corrections: CorrectionsService,
    private readonly undoing: UndoService,
    private readonly histories: DonationHistoryService,
  ) {}

  @Get()
  @Auth('donations:list')
  @ApiOperation({ summary: 'List donations, newest first; staff see only their own records' })
  @ApiOkResponse({ type: DonationListDto })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListDonationsDto) {
    return this.donations.list(caller, query);
  }

  @Post()
  @Auth('donations:record')
  @ApiOperation({ summary: 'Record an offline donation' })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeat with the same key and body returns the first answer',
  })
  @ApiCreatedResponse({ type: RecordedDonationDto })
  @ApiErrors(400, 404, 409)
  record(
    @Caller() caller: Principal,
    @Body() dto: RecordDonationDto,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.recording.record(caller, dto, key);
  }

  @Patch(':id')
  @Auth('donations:correct')
  @ApiOperation({ summary: 'Correct name, e-mail, anonymity or message' })
  @ApiOkResponse({ type: DonationDto })
  @ApiErrors(400, 404, 409)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() dto: UpdateDonationDto) {
    return this.corrections.update(caller, id, dto);
  }

  @Post(':id/fulfil')
  @HttpCode(200)
  @Auth('donations:fulfil')
  @ApiOperation({ summary: 'Mark a pledge as paid' })
  @ApiOkResponse({ type: DonationDto })
  @ApiErrors(400, 404, 409)
  fulfil(@Caller() caller: Principal, @Param('id') id: string, @Body() dto: FulfilPledgeDto) {
    return this.corrections.fulfil(caller, id, dto);
  }

  @Post(':id/undo')
  @HttpCode(200)
  @Auth('donations:undo')
  @ApiOperation({
    summary: 'Undo an offline record',
    description:
      'Staff may undo their own records for `donation.undoMinutes`, admins any record. The donation becomes CANCELLED. A repeat changes nothing.',
  })
  @ApiOkResponse({ type: DonationDto })
  @ApiErrors(404, 409)
  undo(@Caller() caller: Principal, @Param('id') id: string) {
    return this.undoing.undo(caller, id);
  }

  @Get(':id/history')
  @Auth('donations:history')
  @ApiOperation({ summary: 'List all state changes of a donation, oldest first' })
  @ApiOkResponse({ type: [HistoryEntryDto] })
  @ApiErrors(404)
  history(@Param('id') id: string) {
    return this.histories.list(id);
  }
}
