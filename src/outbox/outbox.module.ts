import { Global, Module } from '@nestjs/common';
import { Followers } from './followers.js';
import { LeaderWaker } from './leader-waker.js';
import { Outbox } from './outbox.js';
import { OutboxRelay } from './outbox-relay.js';

@Global()
@Module({
  providers: [Followers, LeaderWaker, Outbox, OutboxRelay],
  exports: [Followers, Outbox, OutboxRelay],
})
export class OutboxModule {}
