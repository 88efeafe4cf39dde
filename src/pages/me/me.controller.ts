import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { StatementQuery } from '../../donors/dto/donor.dto.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { PageErrors } from '../page-errors.js';
import { MeGuard } from './me.guard.js';
import { MePages } from './me-pages.service.js';
import { periodOf, periodOfYear } from '../../donors/statement-period.js';

/** The language of the page is in the address of every form. */
class OwnStatementQuery extends StatementQuery {
  @Allow()
  lang?: unknown;
}

/** The donor's own page. A link from an e-mail signs the donor in; there is no password. Works without JavaScript. */
@ApiExcludeController()
@Controller('me')
@UseFilters(PageErrors)
@UseGuards(MeGuard)
export class MeController {
  constructor(private readonly pages: MePages) {}

  @Get()
  @Public()
  async show(@Req() request: Request, @Res() response: Response) {
    await this.pages.show(request, response);
  }

  @Post()
  @HttpCode(200)
  @Public()
  async request(@Body() body: unknown, @Req() request: Request, @Res() response: Response) {
    await this.pages.request(body, request, response);
  }

  @Get('sign-in/:token')
  @Public()
  async askSignIn(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.askSignIn(token, request, response);
  }

  @Post('sign-in/:token')
  @HttpCode(200)
  @Public()
  async signIn(@Param('token') token: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.signIn(token, request, response);
  }

  @Post('sign-out')
  @HttpCode(200)
  @Public()
  async signOut(@Req() request: Request, @Res() response: Response) {
    await this.pages.signOut(request, response);
  }

  @Get('data')
  @Public()
  async everything(@Req() request: Request, @Res() response: Response) {
    await this.pages.everything(request, response);
  }

  @Post('gift-aid/:id')
  @HttpCode(200)
  @Public()
  async cancelDeclaration(@Param('id') id: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.cancelDeclaration(id, request, response);
  }

  @Post('pledge-emails')
  @HttpCode(200)
  @Public()
  async stopPledgeEmails(@Req() request: Request, @Res() response: Response) {
    await this.pages.stopPledgeEmails(request, response);
  }

  @Post('address')
  @HttpCode(200)
  @Public()
  async changeAddress(@Body() body: unknown, @Req() request: Request, @Res() response: Response) {
    await this.pages.changeAddress(body, request, response);
  }

  @Post('claim')
  @HttpCode(200)
  @Public()
  async claim(@Body() body: unknown, @Req() request: Request, @Res() response: Response) {
    await this.pages.claim(body, request, response);
  }

  @Post('erasure')
  @HttpCode(200)
  @Public()
  async requestErasure(@Req() request: Request, @Res() response: Response) {
    await this.pages.requestErasure(request, response);
  }

  @Get('receipts/:id')
  @Public()
  async receipt(@Param('id') id: string, @Req() request: Request, @Res() response: Response) {
    await this.pages.receipt(id, request, response);
  }

  @Get('statements/:year')
  @Public()
  async statement(@Param('year') year: string, @Req() request: Request, @Res() response: Response) {
    if (!/^2\d{3}$/.test(year)) throw new NotFoundError('ROUTE_NOT_FOUND', 'No route has this path');
    await this.pages.statement(periodOfYear(Number(year)), request, response);
  }

  /** The statement of a period that the donor chose, such as a tax year. */
  @Get('statement')
  @Public()
  async statementOf(
    @Query() { from, to }: OwnStatementQuery,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.pages.statement(periodOf({ from, to }), request, response);
  }
}
