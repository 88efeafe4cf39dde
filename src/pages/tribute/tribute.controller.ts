import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { PageErrors } from '../page-errors.js';
import { TributePages } from './tribute-pages.service.js';

/** The page behind the link of e-mails about tributes. A GET changes nothing, because mail programs open links by themselves. */
@ApiExcludeController()
@Controller('tribute/:token')
@UseFilters(PageErrors)
export class TributeController {
  constructor(private readonly pages: TributePages) {}

  @Get()
  @Public()
  async ask(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.ask(token, request, response);
  }

  // Mail programs send this request without a page (RFC 8058).
  @Post()
  @HttpCode(200)
  @Public()
  async stop(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.stop(token, request, response);
  }
}
