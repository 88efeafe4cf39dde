import { CommittedChanges } from '../../src/common/caching/committed-changes.js';
import type { AppConfig } from '../../src/config/app-config.js';
import type { SchemaWatch } from '../../src/data/schema/schema-watch.js';
import type { LeaderWaker } from '../../src/outbox/leader-waker.js';
import { type OutboxConsumer, OutboxRelay } from '../../src/outbox/outbox-relay.js';

/** Starts a relay that forwards the outbox of a database. The caller stops it. */
export function startRelay(databaseUrl: string, consumer: OutboxConsumer): OutboxRelay {
  const relay = new OutboxRelay(
    { databaseUrl } as AppConfig,
    { wake: () => undefined } as LeaderWaker,
    new CommittedChanges(),
    { isUnknown: false, check: () => Promise.resolve() } as SchemaWatch,
  );
  relay.deliverTo(consumer);
  relay.onApplicationBootstrap();
  return relay;
}
