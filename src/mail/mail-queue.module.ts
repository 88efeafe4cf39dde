import { Global, Module } from '@nestjs/common';
import { Mailer } from './mailer.service.js';

/** Queues e-mails with the fact that causes them. `MailModule` sends them. */
@Global()
@Module({ providers: [Mailer], exports: [Mailer] })
export class MailQueueModule {}
