import { Body, Controller, Delete, Get, Header, HttpCode, Ip, Param, Patch, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Confirmed } from '../auth/confirmations.service.js';
import { OpenSessions } from '../auth/dto/account.dto.js';
import { AuthLimited } from '../auth/limits/rate-limit.decorators.js';
import { Auth, Caller, Public, SessionId } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  AcceptInvitation,
  InvitationAccepted,
  InvitedUser,
  InviteUser,
  RequestReset,
  ResetRequested,
  SessionsEnded,
  UpdateUser,
  User,
  UserRemoved,
  Users,
} from './dto/user.dto.js';
import { Invitations } from './invitations.service.js';
import { PasswordReset } from './password-reset.service.js';
import { UserAccess } from './user-access.service.js';
import { UsersService } from './users.service.js';

const USER_ID = { name: 'id', format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' };

@ApiTags('Users')
@Controller('users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly access: UserAccess,
  ) {}

  @Get()
  @Auth('users:list')
  @ApiOperation({ summary: 'List all admins and accountants by e-mail address' })
  @ApiOkResponse({ type: Users })
  @ApiErrors(429)
  async list(): Promise<Users> {
    return { data: await this.users.list() };
  }

  @Post()
  @Header('Cache-Control', 'no-store')
  @Auth('users:invite')
  @Confirmed()
  @ApiOperation({
    summary: 'Invite an admin or accountant',
    description:
      'The link in the answer sets the password. It is also sent by e-mail if e-mail is configured.',
  })
  @ApiCreatedResponse({ type: InvitedUser })
  @ApiErrors(400, 409, 429)
  invite(@Caller() caller: Principal, @Body() body: InviteUser): Promise<InvitedUser> {
    return this.users.invite(caller, body);
  }

  @Patch(':id')
  @Auth('users:update')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({ summary: 'Change the role or name of an account, disable or enable it' })
  @ApiOkResponse({ type: User })
  @ApiEditConflict()
  @ApiErrors(400, 404, 429)
  update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateUser): Promise<User> {
    return this.users.update(caller, id, body);
  }

  @Delete(':id')
  @Auth('users:delete')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({ summary: 'Remove an account; its entries in the audit log remain' })
  @ApiOkResponse({ type: UserRemoved })
  @ApiErrors(404, 409, 429)
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<UserRemoved> {
    return this.users.remove(caller, id);
  }

  @Post(':id/invite')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Auth('users:invite')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({
    summary: 'Create a new link to set the password, for an expired invitation or a forgotten password',
    description:
      "Earlier links become invalid. The old password is valid until the new one is set. For one's own account the answer is 409 `OWN_ACCOUNT`; change the password with the old one.",
  })
  @ApiOkResponse({ type: InvitedUser })
  @ApiErrors(404, 409, 429)
  inviteAgain(@Caller() caller: Principal, @Param('id') id: string): Promise<InvitedUser> {
    return this.users.inviteAgain(caller, id);
  }

  @Get(':id/sessions')
  @Auth('users:sessions')
  @ApiParam(USER_ID)
  @ApiOperation({ summary: 'List the renewable sign-ins of an account' })
  @ApiOkResponse({ type: OpenSessions })
  @ApiErrors(404, 429)
  async listSessions(@SessionId() current: string, @Param('id') id: string): Promise<OpenSessions> {
    return { data: await this.access.listSessions(id, current) };
  }

  @Delete(':id/sessions')
  @Auth('users:sessions')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({ summary: 'End all sign-ins and sockets of an account' })
  @ApiOkResponse({ type: SessionsEnded })
  @ApiErrors(404, 429)
  endSessions(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionsEnded> {
    return this.access.endSessions(caller, id);
  }

  @Delete(':id/identity')
  @Auth('users:update')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({ summary: 'Unbind the identity of the provider and end all sign-ins of the account' })
  @ApiOkResponse({ type: User })
  @ApiErrors(404, 409, 429)
  unbindIdentity(@Caller() caller: Principal, @Param('id') id: string): Promise<User> {
    return this.access.unbindIdentity(caller, id);
  }

  @Delete(':id/second-factor')
  @Auth('users:update')
  @Confirmed()
  @ApiParam(USER_ID)
  @ApiOperation({
    summary: 'Remove the lost second factor of an account and end all its sign-ins',
    description:
      "For one's own account the answer is 409 `OWN_ACCOUNT`; switch that second factor off with the password.",
  })
  @ApiOkResponse({ type: User })
  @ApiErrors(404, 409, 429)
  forgetSecondFactor(@Caller() caller: Principal, @Param('id') id: string): Promise<User> {
    return this.access.forgetSecondFactor(caller, id);
  }
}

@ApiTags('Authentication')
@Controller('auth/invitations')
@Public()
@AuthLimited()
export class InvitationsController {
  constructor(private readonly invitations: Invitations) {}

  @Post('accept')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set the password of an account with the link from the invitation',
    description:
      'The link is valid once: an invitation for 72 hours, a password reset for 30 minutes. It creates no session: use `POST /auth/login` next, with the second factor if there is one.',
  })
  @ApiOkResponse({ type: InvitationAccepted })
  @ApiErrors(400, 403, 404, 429)
  accept(@Body() body: AcceptInvitation): Promise<InvitationAccepted> {
    return this.invitations.accept(body);
  }
}

@ApiTags('Authentication')
@Controller('auth/password-reset')
@Public()
@AuthLimited()
export class PasswordResetController {
  constructor(private readonly reset: PasswordReset) {}

  @Post()
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Send the owner of an account a link for a new password',
    description:
      'The same answer for every address, whether or not an account has it. The link goes to the address of the account, is ' +
      'valid once, for 30 minutes, and is used by `POST /auth/invitations/accept`; a second factor stays required. At most 10 ' +
      'requests of an address and 3 e-mails to an account in an hour. 503 `MAIL_OFF` without `SMTP_URL`.',
  })
  @ApiAcceptedResponse({ type: ResetRequested })
  @ApiErrors(400, 403, 429, 503)
  async request(@Body() { email }: RequestReset, @Ip() ip: string): Promise<ResetRequested> {
    await this.reset.request(email, ip);
    return { requested: true };
  }
}
