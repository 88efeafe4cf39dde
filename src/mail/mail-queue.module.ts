import { Global, Module } from '@nestjs/common';
import { Mailer } from './mailer.service.js';

/** Writes e-mails down with the fact they are about; who sends them is another module's business. */
@Global()
@Module({ providers: [Mailer], exports: [Mailer] })
export class MailQueueModule {}
