import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { POS_PATH, PosService } from './pos.service.js';
import { Uncounted } from '../../auth/limits/rate-limit.decorators.js';
import { PageErrors } from '../page-errors.js';

/** The POS page for volunteers at the tables, and the files to install the page and start it offline. */
@ApiExcludeController()
@Controller(POS_PATH.slice(1))
@UseFilters(PageErrors)
@Uncounted()
export class PosController {
  constructor(private readonly pos: PosService) {}

  @Get()
  @Public()
  async page(@Req() request: Request, @Res() response: Response, @Query('lang') lang?: unknown) {
    await this.pos.sendPage(response, lang, request.headers['accept-language']);
  }

  @Get('manifest.webmanifest')
  @Public()
  async manifest(@Res() response: Response) {
    await this.pos.sendManifest(response);
  }

  @Get('service-worker.js')
  @Public()
  async serviceWorker(@Res() response: Response) {
    await this.pos.sendServiceWorker(response);
  }
}
