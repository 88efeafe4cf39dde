import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { EmailDto, EmailListDto, ListEmailsDto, TestEmailDto, TestEmailSentDto } from './dto/email.dto.js';
import { EmailsService } from './emails.service.js';

@ApiTags('E-mails')
@Controller()
export class EmailsController {
  constructor(private readonly emails: EmailsService) {}

  @Get('emails')
  @Auth('emails:list')
  @ApiOperation({ summary: 'List the queued and sent e-mails with their state, newest first' })
  @ApiOkResponse({ type: EmailListDto })
  @ApiErrors(400)
  list(@Query() query: ListEmailsDto) {
    return this.emails.list(query);
  }

  @Post('emails/:id/retry')
  @HttpCode(202)
  @Auth('emails:send')
  @ApiOperation({ summary: 'Send a bounced or failed e-mail again' })
  @ApiAcceptedResponse({ type: EmailDto })
  @ApiErrors(404, 409, 503)
  retry(@Caller() caller: Principal, @Param('id') id: string) {
    return this.emails.retry(caller, id);
  }

  @Post('settings/test-email')
  @HttpCode(200)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Send a test e-mail now; on failure the answer contains the error of the mail server',
  })
  @ApiOkResponse({ type: TestEmailSentDto })
  @ApiErrors(400, 503)
  test(@Caller() caller: Principal, @Body() dto: TestEmailDto) {
    return this.emails.test(caller, dto);
  }
}
