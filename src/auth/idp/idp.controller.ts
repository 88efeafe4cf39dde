import { Body, Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { AdminSession } from '../dto/session.dto.js';
import { ExchangeCode } from '../dto/sign-in.dto.js';
import { AuthLimited } from '../limits/rate-limit.decorators.js';
import { IdpService } from './idp.service.js';

@ApiTags('Authentication')
@Controller('auth/idp')
@AuthLimited()
@Public()
export class IdpController {
  constructor(private readonly idp: IdpService) {}

  @Get()
  @ApiOperation({
    summary: 'Start the sign-in of an admin with the identity provider',
    description: 'For a browser: OAuth 2.0 authorization code flow with PKCE, OpenID Connect.',
  })
  @ApiFoundResponse({ description: "Redirect to the provider's sign-in page" })
  @ApiErrors(400, 404, 429, 503)
  start(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.idp.start(request, response);
  }

  @Get('again')
  @ApiOperation({
    summary: 'Sign in with the identity provider again to confirm the identity',
    description:
      'As `GET /auth/idp`, with `prompt=login` and `max_age=0`. The sign-in confirms changes of accounts for ten minutes.',
  })
  @ApiFoundResponse({ description: "Redirect to the provider's sign-in page" })
  @ApiErrors(400, 404, 429, 503)
  again(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.idp.start(request, response, true);
  }

  @Get('callback')
  @ApiOperation({
    summary: 'Callback of the identity provider',
    description:
      'Redirects to `IDP_SUCCESS_URL` with a one-time `code`. Without this address it returns the session, or redirects to ' +
      '`/admin` if the account has a second factor that the provider did not ask for. The account must exist. It is found ' +
      'by its bound identity, at the first sign-in by the verified e-mail address.',
  })
  @ApiQuery({ name: 'code', type: String, required: false, example: 'SplxlOBeZQQYbYS6WxSbIA' })
  @ApiQuery({ name: 'state', type: String, required: false, example: 'af0ifjsldkj' })
  @ApiQuery({ name: 'error', type: String, required: false, example: 'access_denied' })
  @ApiFoundResponse({ description: 'Redirect to `IDP_SUCCESS_URL` with `?code=`' })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(400, 401, 403, 404, 429, 503)
  callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.idp.finish(request, response);
  }

  @Post('exchange')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Exchange the one-time code of the callback for a session; valid once, for one minute',
    description:
      'Good only in the browser that came back from the provider: send its cookies (`credentials: "include"`). ' +
      'For an account with a second factor that the provider did not ask for, 401 `SECOND_FACTOR_REQUIRED` until `totp` ' +
      'is sent too; the code stays good meanwhile, for five minutes.',
  })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(400, 401, 403, 404, 429, 503)
  exchange(
    @Body() body: ExchangeCode,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminSession> {
    return this.idp.exchange(body, request, response);
  }
}
