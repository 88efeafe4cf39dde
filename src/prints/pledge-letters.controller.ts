import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { PledgeLettersDto } from './dto/pledge-letter.dto.js';
import { PledgeLetters } from './pledge-letters.service.js';

const PDF = 'application/pdf';

@ApiTags('Pledges')
@Controller('pledges')
export class PledgeLettersController {
  constructor(private readonly letters: PledgeLetters) {}

  @Post('letters')
  @HttpCode(200)
  @Auth('pledges:letters')
  @ApiOperation({
    summary: 'Get letters about unpaid pledges as one PDF, with the link to pay as a code',
    description:
      'One letter for each donor at each event, with the name in the address window. Pledges that are not open are left out.',
  })
  @ApiDownload(PDF, 'The letters')
  @ApiErrors(400, 404, 409, 429, 503)
  async draw(
    @Caller() caller: Principal,
    @Body() body: PledgeLettersDto,
    @Res() response: Response,
  ): Promise<void> {
    const file = await this.letters.draw(caller, body);
    response.set(downloadHeaders('pledge-letters.pdf', PDF)).end(file);
  }
}
