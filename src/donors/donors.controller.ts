import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { DonorErasure } from './donor-erasure.service.js';
import { DonorsService } from './donors.service.js';
import { DonorListDto, ErasedDonorDto, ListDonorsDto, PersonDto, StatementQuery } from './dto/donor.dto.js';
import { DonorDownloads } from './donor-export.service.js';

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
  ) {}

  @Get()
  @Auth('donors:list')
  @ApiOperation({ summary: 'List donors over all events, the most recent first' })
  @ApiOkResponse({ type: DonorListDto })
  @ApiErrors(400)
  list(@Query() query: ListDonorsDto) {
    return this.donors.list(query);
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
      'Contains donations, history, refunds, disputes, receipts, Gift Aid declarations, e-mails, stored answers and entries of the ' +
      'audit log.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ description: 'A file for the donor', content: EVERYTHING })
  @ApiErrors(404)
  export(@Caller() caller: Principal, @Param('key') key: string, @Res() response: Response) {
    return this.downloads.everything(caller, key, response);
  }

  @Get(':key/statement')
  @Auth('donors:export')
  @ApiOperation({
    summary: 'Annual statement of a donor as PDF',
    description: 'The year follows the `timezone` setting.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ description: 'The statement, A4', content: PDF })
  @ApiErrors(400, 404, 409)
  statement(
    @Caller() caller: Principal,
    @Param('key') key: string,
    @Query() { year }: StatementQuery,
    @Res() response: Response,
  ) {
    return this.downloads.statement(caller, key, year, response);
  }

  @Delete(':key')
  @Auth('donors:erase')
  @ApiOperation({
    summary: 'Erase a donor',
    description:
      'Erases name, e-mail address, message and postal address, also from receipts and stored answers. Amounts, counts, ' +
      'dates and receipt numbers remain. A Gift Aid declaration of a paid donation is kept sealed for the legal period: `kept` says ' +
      'until when. Cannot be undone.',
  })
  @ApiParam(KEY)
  @ApiOkResponse({ type: ErasedDonorDto })
  @ApiErrors(404)
  erase(@Caller() caller: Principal, @Param('key') key: string) {
    return this.erasure.erase(caller, key);
  }
}
