import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PublicAuthRoute } from '../auth/public-auth-route.decorator.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AcceptInvitation, InvitationAccepted } from './dto/user.dto.js';
import { Invitations } from './invitations.service.js';

@ApiTags('Authentication')
@Controller('auth/invitations')
@PublicAuthRoute()
export class InvitationsController {
  constructor(private readonly invitations: Invitations) {}

  @Post('accept')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set the password of an account by the link that its owner got',
    description:
      'Good once, for 72 hours. Signs nobody in: `POST /auth/login` comes next, with a second factor where there is one.',
  })
  @ApiOkResponse({ type: InvitationAccepted })
  @ApiErrors(400, 403, 404, 429)
  accept(@Body() body: AcceptInvitation): Promise<InvitationAccepted> {
    return this.invitations.accept(body);
  }
}
