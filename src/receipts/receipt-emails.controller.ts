import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { EmailDto } from '../mail/dto/email.dto.js';
import { ReceiptEmails } from './receipt-emails.service.js';

@ApiTags('E-mails')
@Controller('donations')
export class ReceiptEmailsController {
  constructor(private readonly emails: ReceiptEmails) {}

  @Post(':id/email-receipt')
  @HttpCode(202)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Send the receipt of a donation to its donor by e-mail',
    description:
      'Also of an offline donation, which never gets one by itself; and once more after it was sent.',
  })
  @ApiAcceptedResponse({ type: EmailDto })
  @ApiErrors(404, 409, 503)
  send(@Caller() caller: Principal, @Param('id') id: string) {
    return this.emails.request(caller, id);
  }
}
