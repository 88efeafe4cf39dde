import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { PageErrors } from '../page-errors.js';
import { PledgePages } from './pledge-pages.service.js';

/** The pages behind the links of e-mails about pledges. A GET changes nothing, because mail programs open links by themselves. */
@ApiExcludeController()
@Controller('pledge/:token')
@UseFilters(PageErrors)
export class PledgeController {
  constructor(private readonly pages: PledgePages) {}

  @Get()
  @Public()
  async ask(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.ask(token, request, response);
  }

  @Post()
  @HttpCode(200)
  @Public()
  async withdraw(
    @Param('token') token: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.pages.withdraw(token, body, request, response);
  }

  @Get('unsubscribe')
  @Public()
  async askUnsubscribe(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.askUnsubscribe(token, request, response);
  }

  // Mail programs send this request without a page (RFC 8058).
  @Post('unsubscribe')
  @HttpCode(200)
  @Public()
  async unsubscribe(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.unsubscribe(token, request, response);
  }
}
