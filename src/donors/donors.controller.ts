import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { DonorErasure } from './donor-erasure.service.js';
import { AskForAddressesDto, AskedDonorsDto } from './dto/asked-donors.dto.js';
import { MissingAddresses } from './missing-addresses.service.js';
import { DonorsService } from './donors.service.js';
import {
  CollectiveReceiptDto,
  DonorListDto,
  ErasedDonorDto,
  ListDonorsDto,
  PersonDto,
  StatementQuery,
} from './dto/donor.dto.js';
import { DonorDownloads } from './donor-export.service.js';
import { periodOf } from './statement-period.js';

const KEY = { name: 'key', description: 'The key from `GET /donors`' };
const PDF = { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } as const;
const EVERYTHING = {
  'application/json': { schema: { type: 'object', additionalProperties: true } },
} as const;

@ApiTags('Donors')
@Controller('donors')
export class DonorsController {
  constructor(
    private readonly donors: DonorsService,
    private readonly downloads: DonorDownloads,
    private readonly erasure: DonorErasure,
    private readonly missing: MissingAddresses,
  ) {}

  @Get()
  @Auth('donors:list')
  @ApiOperation({ summary: 'List donors over all events, the most recent first' })
  @ApiOkResponse({ type: DonorListDto })
  @ApiErrors(400)
  list(@Query() query: ListDonorsDto) {
    return this.donors.list(query);
  }

  @Post('missing-addresses')
  @HttpCode(200)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Ask the donors of an event for their postal address',
    description:
      'Sends one e-mail to each donor whose receipt for the tax office lacks the postal address. The e-mail has a link to the own ' +
      'page of the donor. A donor gets it at most once in seven days.',
  })
  @ApiOkResponse({ type: AskedDonorsDto })
  @ApiErrors(400, 404, 503)
  askForAddresses(@Caller() caller: Principal, @Body() { eventId }: AskForAddressesDto) {
    return this.missing.ask(caller, eventId);
  }

  @Get(':key')
  @Auth('donors:list')
  @ApiOperation({ summary: 'Get a donor with all donations' })
  @ApiParam(KEY)
  @ApiOkResponse({ type: PersonDto })
  @ApiErrors(404)
  person(@Param('key') key: string) {
    return this.donors.person(key);
  }

  @Get(':key/export')
  @Auth('donors:export')
  @ApiOperation({
    summary: 'Export all data about a donor as JSON',
    description:
      'Contains donations, history, refunds, disputes, receipts, Gift Aid declarations and claims, e-mails, stored answers and entries of the ' +
      'audit log.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ description: 'A file for the donor', content: EVERYTHING })
  @ApiErrors(404)
  export(@Caller() caller: Principal, @Param('key') key: string, @Res() response: Response) {
    return this.downloads.everything(actorOf(caller), key, response);
  }

  @Get(':key/statement')
  @Auth('donors:export')
  @ApiOperation({
    summary: 'Statement of a donor as PDF, of a year or another period',
    description:
      'The days follow the `timezone` setting. The language is that of the donor. If the pack of the organization (`receipts.pack`) has ' +
      'an annual document for the tax office (`ch`, `nl`), this is the answer: 409 `RECEIPT_INCOMPLETE` names missing or wrong ' +
      'fields. It leaves out donations of events with another pack. It has no number and is not stored.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ description: 'The statement, A4', content: PDF })
  @ApiErrors(400, 404, 409)
  statement(
    @Caller() caller: Principal,
    @Param('key') key: string,
    @Query() query: StatementQuery,
    @Res() response: Response,
  ) {
    return this.downloads.statement(
      actorOf(caller),
      key,
      periodOf(query),
      query.form ?? 'document',
      response,
    );
  }

  @Post(':key/collective-receipt')
  @HttpCode(200)
  @Auth('donors:confirm')
  @ApiOperation({
    summary: 'Collective receipt of a donor for a calendar year as PDF (Germany)',
    description:
      'Issues the Sammelbestätigung about all donations of the year, with a number of the receipts, or answers a copy if it is out and ' +
      'still right. A correction, a refund or another donation makes a new one, which replaces it. A donation is in a single or a ' +
      'collective receipt: 409 `GIFTS_CONFIRMED` names single receipts, which become void with `isIncluding`.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ description: 'The receipt with its annex, A4', content: PDF })
  @ApiErrors(400, 404, 409)
  collective(
    @Caller() caller: Principal,
    @Param('key') key: string,
    @Body() { year, isIncluding }: CollectiveReceiptDto,
    @Res() response: Response,
  ) {
    return this.downloads.collective(actorOf(caller), key, year, isIncluding ?? false, response);
  }

  @Delete(':key')
  @Auth('donors:erase')
  @ApiOperation({
    summary: 'Erase a donor',
    description:
      'Erases name, e-mail address, message, tribute and postal address, also from receipts and stored answers, and the address of ' +
      'this person from tributes of other donors. Amounts, counts, ' +
      'dates and receipt numbers remain. Gift Aid declarations of paid donations and the content of receipts for the tax office are kept ' +
      'sealed for the legal period: `kept` says how many, why and until when, and `GET /donors/:key` says it before. Cannot be undone.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ type: ErasedDonorDto })
  @ApiErrors(404)
  erase(@Caller() caller: Principal, @Param('key') key: string) {
    return this.erasure.erase(caller, key);
  }
}
