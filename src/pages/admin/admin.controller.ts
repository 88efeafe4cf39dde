import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { AdminService } from './admin.service.js';
import { Uncounted } from '../../auth/limits/rate-limit.decorators.js';
import { PageErrors } from '../page-errors.js';

/** The dashboard. All paths below `/admin` get the same HTML page; its script reads the path. */
@ApiExcludeController()
@Controller('admin')
@UseFilters(PageErrors)
@Uncounted()
@Public()
export class AdminController {
  constructor(private readonly admin: AdminService) {}

  @Get(['', '{*path}'])
  async page(@Req() request: Request, @Res() response: Response, @Query('lang') lang?: unknown) {
    await this.admin.send(response, lang, request.headers['accept-language']);
  }
}
