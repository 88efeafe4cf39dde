import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { InvitationLinks, Invitations } from './invitations.service.js';
import { LastAdmin } from './last-admin.js';
import { PasswordReset } from './password-reset.service.js';
import { UserAccess } from './user-access.service.js';
import { InvitationsController, PasswordResetController, UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

/** Users who sign in by password or identity provider: invite, change, remove. */
@Module({
  imports: [AuthModule, SettingsModule],
  controllers: [UsersController, InvitationsController, PasswordResetController],
  providers: [InvitationLinks, Invitations, LastAdmin, PasswordReset, UserAccess, UsersService],
})
export class UsersModule {}
