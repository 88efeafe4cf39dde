import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { PageErrors } from '../page-errors.js';
import { ACCESSIBILITY_PATH } from './accessibility-link.js';
import { AccessibilityService } from './accessibility.service.js';

@ApiExcludeController()
@Controller(ACCESSIBILITY_PATH.slice(1))
@UseFilters(PageErrors)
export class AccessibilityController {
  constructor(private readonly accessibility: AccessibilityService) {}

  @Get()
  @Public()
  async page(@Req() request: Request, @Res() response: Response, @Query('lang') lang?: unknown) {
    await this.accessibility.send(response, lang, request.headers['accept-language']);
  }
}
