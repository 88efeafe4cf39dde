import { Global, Module } from '@nestjs/common';
import { LeaderWaker } from './leader-waker.js';
import { Outbox } from './outbox.js';
import { OutboxRelay } from './outbox-relay.js';

@Global()
@Module({
  providers: [Outbox, LeaderWaker, OutboxRelay],
  exports: [Outbox, OutboxRelay],
})
export class OutboxModule {}
