import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { MatchLetters } from './match-letters.service.js';

const PDF = 'application/pdf';

@ApiTags('Match pools')
@Controller('match-pools')
export class MatchLettersController {
  constructor(private readonly letters: MatchLetters) {}

  @Get(':id/letter')
  @Auth('match:list')
  @ApiOperation({
    summary: 'Get the letter to the matcher as PDF: sums, and the donations that drew, without their donors',
    description: 'In the default language of the event.',
  })
  @ApiDownload(PDF, 'The letter')
  @ApiErrors(404, 429, 503)
  async draw(@Caller() caller: Principal, @Param('id') id: string, @Res() response: Response): Promise<void> {
    const file = await this.letters.draw(caller, id);
    response.set(downloadHeaders('match-letter.pdf', PDF)).end(file);
  }
}
