import { Body, Controller, Get, Param, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { DonateActions } from './donate-actions.service.js';
import { DonatePages } from './donate.service.js';
import { PageErrors } from '../page-errors.js';

@ApiExcludeController()
@Controller('donate/:slug')
@UseFilters(PageErrors)
export class DonateController {
  constructor(
    private readonly pages: DonatePages,
    private readonly actions: DonateActions,
  ) {}

  @Get()
  @Public()
  async form(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.form(slug, request, response);
  }

  // The body is not converted, because a form without JavaScript sends only texts.
  @Post()
  @Public()
  async give(
    @Param('slug') slug: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.actions.give(slug, body, request, response);
  }

  @Get('thanks')
  @Public()
  async thanks(
    @Param('slug') slug: string,
    @Req() request: Request,
    @Res() response: Response,
    @Query('donation') token?: unknown,
    @Query('returned') returned?: unknown,
  ) {
    if (returned === undefined) await this.pages.thanks(slug, token, request, response);
    else await this.actions.returned(slug, token, request, response);
  }

  @Post('thanks')
  @Public()
  async saveEmail(
    @Param('slug') slug: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.actions.saveEmail(slug, body, request, response);
  }

  // The last route, because every other address below the event is no team.
  /** The page of a person, or the form for another team. */
  @Get(':team')
  @Public()
  async formForTeam(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.form(slug, request, response);
  }
}
