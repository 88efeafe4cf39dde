import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../common/access/access.decorators.js';
import { StartService } from './start.service.js';
import { PageErrors } from './page-errors.js';

@ApiExcludeController()
@Controller()
@UseFilters(PageErrors)
export class StartController {
  constructor(private readonly start: StartService) {}

  @Get()
  @Public()
  async page(@Req() request: Request, @Res() response: Response, @Query('lang') lang?: unknown) {
    await this.start.send(response, lang, request.headers['accept-language']);
  }
}
