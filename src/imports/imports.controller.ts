import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { readUpload } from '../common/http/read-upload.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import {
  ChangedRowList,
  CheckedImport,
  CheckImport,
  DiscardedImport,
  ImportDto,
  ImportList,
  UploadList,
  WrongRowsQuery,
} from './dto/import.dto.js';
import { ImportRunner } from './import-runner.service.js';
import { ImportUndo } from './import-undo.service.js';
import { ImportsService } from './imports.service.js';

const EVENT = { name: 'id', description: 'Id or slug', example: 'summer-gala' };
const IMPORT = { name: 'id', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
const BINARY = { type: 'string', format: 'binary' } as const;
const FILE_TYPES = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
];

@ApiTags('Imports')
@Controller()
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly runner: ImportRunner,
    private readonly undos: ImportUndo,
  ) {}

  @Post('events/:id/imports')
  @Auth('guests:manage')
  @ApiParam(EVENT)
  @ApiOperation({
    summary: 'Upload a list of guests, pledges or past donations, without importing it',
    description:
      'The file is the body: CSV or XLSX, at most 5 MB, 20,000 rows and 100 columns. The first row has the headings. The answer has ' +
      'the encoding, the delimiter and the columns that were found. An upload that is not imported is deleted after a day. Past donations ' +
      'need an archived event, pledges an event that takes donations.',
  })
  @ApiConsumes(...FILE_TYPES)
  @ApiBody({ schema: BINARY })
  @ApiCreatedResponse({ type: ImportDto })
  @ApiErrors(400, 404, 409, 413, 429)
  async upload(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: UploadList,
    @Req() request: Request,
  ): Promise<ImportDto> {
    return await this.imports.upload(caller, id, query, await readUpload(request));
  }

  @Get('events/:id/imports')
  @Auth('guests:manage')
  @ApiParam(EVENT)
  @ApiOperation({ summary: 'List the imports of the last 30 days, newest first' })
  @ApiOkResponse({ type: ImportList })
  @ApiErrors(404, 429)
  list(@Caller() caller: Principal, @Param('id') id: string): Promise<ImportList> {
    return this.imports.list(caller, id);
  }

  @Get('imports/:id')
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'Get an import with its progress' })
  @ApiOkResponse({ type: ImportDto })
  @ApiErrors(404, 429)
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ImportDto> {
    return this.imports.get(caller, id);
  }

  @Post('imports/:id/check')
  @HttpCode(200)
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({
    summary: 'Choose the columns and show the result of the import, without importing anything',
    description:
      'A row is the guest with the same own id, or with the same name, e-mail address and table. Two equal rows are two guests. An ' +
      'empty cell changes nothing. Guests of one party or one table can share a paddle. A pledge or past donation that was imported ' +
      'earlier, with the same own id or the same values, is left out. Two equal rows of one file are two donations.',
  })
  @ApiOkResponse({ type: CheckedImport })
  @ApiErrors(400, 404, 409, 429)
  check(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CheckImport,
  ): Promise<CheckedImport> {
    return this.imports.check(caller, id, body);
  }

  @Get('imports/:id/wrong-rows')
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'Download the rows that cannot be imported, each with its problem, as CSV' })
  @ApiOkResponse({ content: { 'text/csv': { schema: BINARY } } })
  @ApiErrors(400, 404, 409, 429)
  async wrongRows(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { language = 'en' }: WrongRowsQuery,
    @Res() response: Response,
  ) {
    const file = await this.imports.wrongRows(caller, id, language);
    response.set(downloadHeaders('wrong-rows.csv', 'text/csv; charset=utf-8')).end(file);
  }

  @Post('imports/:id/run')
  @HttpCode(202)
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'Start the import in the background; a repeat starts nothing' })
  @ApiAcceptedResponse({ type: ImportDto })
  @ApiErrors(400, 404, 409, 429)
  run(@Caller() caller: Principal, @Param('id') id: string): Promise<ImportDto> {
    return this.runner.start(caller, id);
  }

  @Post('imports/:id/undo')
  @HttpCode(200)
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'Undo a finished import, unless one of its guests was changed later' })
  @ApiOkResponse({ type: ImportDto })
  @ApiErrors(404, 409, 429)
  undo(@Caller() caller: Principal, @Param('id') id: string): Promise<ImportDto> {
    return this.undos.undo(caller, id);
  }

  @Get('imports/:id/changed-rows')
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'List the rows whose guests were changed after the import' })
  @ApiOkResponse({ type: ChangedRowList })
  @ApiErrors(404, 429)
  changedRows(@Caller() caller: Principal, @Param('id') id: string): Promise<ChangedRowList> {
    return this.undos.changedRows(caller, id);
  }

  @Delete('imports/:id')
  @Auth('guests:manage')
  @ApiParam(IMPORT)
  @ApiOperation({ summary: 'Delete an upload that was not imported' })
  @ApiOkResponse({ type: DiscardedImport })
  @ApiErrors(404, 409, 429)
  discard(@Caller() caller: Principal, @Param('id') id: string): Promise<DiscardedImport> {
    return this.imports.discard(caller, id);
  }
}
