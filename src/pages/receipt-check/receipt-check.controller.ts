import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { CHECK_PATH } from '../../receipts/check-code.js';
import { CheckedReceiptDto } from '../../receipts/dto/checked-receipt.dto.js';
import { ReceiptChecks } from '../../receipts/receipt-checks.service.js';
import { PageErrors } from '../page-errors.js';
import { ReceiptCheckPages } from './receipt-check-pages.service.js';

/** The check of a receipt by the code printed on it: a page for people, JSON for programs. */
@ApiTags('Exports')
@Controller(CHECK_PATH)
@UseFilters(PageErrors)
export class ReceiptCheckController {
  constructor(
    private readonly checks: ReceiptChecks,
    private readonly pages: ReceiptCheckPages,
  ) {}

  @Get(':code')
  @Public()
  @ApiOperation({
    summary: 'Check a receipt by the code printed on it',
    description:
      'Says whether the receipt is valid, void or replaced, without naming a person. Browsers get a page. One address may check 30 receipts a minute.',
  })
  @ApiParam({ name: 'code', description: 'The 20 characters on the receipt' })
  @ApiOkResponse({ type: CheckedReceiptDto })
  @ApiErrors(404, 429)
  async check(
    @Param('code') code: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // The answer changes with the donation, and a proxy must not keep it.
    response.setHeader('Cache-Control', 'no-store');
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') {
      response.json(await this.checks.check(code, request.ip));
      return;
    }
    try {
      await this.pages.found(await this.checks.check(code, request.ip), request, response);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      await this.pages.notFound(request, response);
    }
  }
}
