import { Global, Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { OutboxSignal } from './outbox-signal.js';

@Global()
@Module({ providers: [Outbox, OutboxSignal], exports: [Outbox, OutboxSignal] })
export class OutboxModule {}
