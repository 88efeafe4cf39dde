import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AuthLimited } from '../auth/limits/rate-limit.decorators.js';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  CreateTerminalCode,
  Enrolment,
  EnrolTerminal,
  Heartbeat,
  HeartbeatAnswer,
  RenameTerminal,
  RevokedTerminal,
  TerminalCode,
  TerminalDto,
  TerminalList,
} from './dto/terminal.dto.js';
import { Enrolments } from './enrolment.service.js';
import { Terminals } from './terminals.service.js';

@ApiTags('Terminals')
@Controller('terminals')
export class TerminalsController {
  constructor(
    private readonly terminals: Terminals,
    private readonly enrolments: Enrolments,
  ) {}

  @Get()
  @Auth('terminals:list')
  @ApiOperation({ summary: 'List enrolled and revoked terminals' })
  @ApiOkResponse({ type: TerminalList })
  list() {
    return this.terminals.list();
  }

  @Post('codes')
  @Auth('terminals:enrol')
  @ApiOperation({ summary: 'Create a one-time code that enrols a terminal; valid for 15 minutes' })
  @ApiCreatedResponse({ type: TerminalCode })
  @ApiErrors(400, 404)
  createCode(@Caller() caller: Principal, @Body() body: CreateTerminalCode) {
    return this.enrolments.createCode(caller, body);
  }

  @Post('enrol')
  @Public()
  @AuthLimited()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Exchange a code for the device token of this terminal' })
  @ApiCreatedResponse({ type: Enrolment })
  @ApiErrors(400, 401, 429)
  enrol(@Body() { code }: EnrolTerminal) {
    return this.enrolments.enrol(code);
  }

  @Post('heartbeat')
  @HttpCode(200)
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiHeader({ name: 'X-Device-Token', required: true, description: 'Device token from the enrolment' })
  @ApiOperation({ summary: 'Report a terminal as present, with the number of its waiting records' })
  @ApiOkResponse({ type: HeartbeatAnswer })
  @ApiErrors(400, 401)
  beat(@Req() request: Request, @Body() body: Heartbeat) {
    return this.terminals.beat(request, body);
  }

  @Patch(':id')
  @Auth('terminals:update')
  @ApiOperation({ summary: 'Rename a terminal' })
  @ApiOkResponse({ type: TerminalDto })
  @ApiErrors(400, 404)
  @ApiEditConflict()
  rename(@Caller() caller: Principal, @Param('id') id: string, @Body() body: RenameTerminal) {
    return this.terminals.rename(caller, id, body);
  }

  @Delete(':id')
  @Auth('terminals:revoke')
  @ApiOperation({ summary: 'Revoke a terminal; its token and its sessions end' })
  @ApiOkResponse({ type: RevokedTerminal })
  @ApiErrors(404)
  revoke(@Caller() caller: Principal, @Param('id') id: string) {
    return this.terminals.revoke(caller, id);
  }

  @Post(':id/release')
  @HttpCode(200)
  @Auth('terminals:release')
  @ApiOperation({
    summary: 'Release a terminal, so that any signed-in member can send the waiting records of others',
    description:
      'Valid for one day, for records from before the release. The sender must have signed in on this terminal, at the event ' +
      'of the record, before the release. The records keep their original author (`takenBy`).',
  })
  @ApiOkResponse({ type: TerminalDto })
  @ApiErrors(404)
  release(@Caller() caller: Principal, @Param('id') id: string) {
    return this.terminals.release(caller, id);
  }
}
