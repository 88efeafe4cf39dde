import { Global, Module } from '@nestjs/common';
import { Mailer } from './mailer.service.js';

/** Queues e-mails in the transaction that causes them. `MailModule` sends the queued e-mails. */
@Global()
@Module({ providers: [Mailer], exports: [Mailer] })
export class MailQueueModule {}
