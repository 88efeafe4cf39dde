import { Global, Module } from '@nestjs/common';
import { LeaderWaker } from './leader-waker.js';
import { Outbox } from './outbox.js';
import { OutboxRelay } from './outbox-relay.js';
import { OutboxSignal } from './outbox-signal.js';

@Global()
@Module({
  providers: [Outbox, OutboxSignal, LeaderWaker, OutboxRelay],
  exports: [Outbox, OutboxSignal, OutboxRelay],
})
export class OutboxModule {}
