import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { GuestCards } from '../../pledges/cards/guest-cards.service.js';
import { PageErrors } from '../page-errors.js';
import { BeginCard, OfGuest } from './ready.dto.js';
import { ReadyPages } from './ready-pages.service.js';

/** The page on which a guest saves a card for pledges. A GET changes nothing, except that it keeps a card that was just entered. */
@ApiExcludeController()
@Controller('donate/:slug/ready')
@UseFilters(PageErrors)
export class ReadyController {
  constructor(
    private readonly pages: ReadyPages,
    private readonly cards: GuestCards,
  ) {}

  @Get()
  @Public()
  async show(@Query() query: Record<string, unknown>, @Req() request: Request, @Res() response: Response) {
    await this.pages.show(query, request, response);
  }

  @Post()
  @Public()
  begin(@Body() { guest, textDigest, language, email }: BeginCard): Promise<{ clientSecret: string }> {
    return this.cards.begin(guest, { textDigest, language, email: email ?? null });
  }

  @Post('saved')
  @HttpCode(200)
  @Public()
  async saved(@Body() { guest }: OfGuest): Promise<{ saved: boolean }> {
    return { saved: await this.cards.finish(guest) };
  }

  @Post('remove')
  @HttpCode(200)
  @Public()
  async remove(@Body() body: unknown, @Req() request: Request, @Res() response: Response) {
    await this.pages.remove(body, request, response);
  }

  @Get('stop')
  @Public()
  async askStop(@Query() query: Record<string, unknown>, @Req() request: Request, @Res() response: Response) {
    await this.pages.askStop(query, request, response);
  }

  // Mail programs send this request without a page (RFC 8058).
  @Post('stop')
  @HttpCode(200)
  @Public()
  async stop(@Body() body: unknown, @Req() request: Request, @Res() response: Response) {
    await this.pages.stop(body, request, response);
  }
}
