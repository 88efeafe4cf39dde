import { SettingsModule } from '../settings/settings.module.js';
import { INVITATION_MAIL } from '../users/invitations.service.js';
import { AccountChangeEmails } from './content/account-change-emails.js';
import { EmailsController } from './emails.controller.js';
import { EmailsService } from './emails.service.js';
import { InvitationEmails } from './content/invitation-emails.js';
import { MailComposers } from './content/mail-composers.js';
import { MailQueueModule } from './mail-queue.module.js';
import { MailWorker } from './mail-worker.js';
import { Smtp } from './smtp.service.js';
import { Global, Module } from '@nestjs/common';

/** E-mails. They are queued in the transaction that causes them, and one process at a time sends them. */
@Global()
@Module({
  imports: [MailQueueModule, SettingsModule],
  controllers: [EmailsController],
  providers: [
    AccountChangeEmails,
    EmailsService,
    InvitationEmails,
    { provide: INVITATION_MAIL, useExisting: InvitationEmails },
    MailComposers,
    MailWorker,
    Smtp,
  ],
  exports: [EmailsService, INVITATION_MAIL, MailComposers, MailQueueModule],
})
export class MailModule {}
