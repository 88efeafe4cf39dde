// A process with a relay and five followers that note each message, for tests that kill it. Usage: node … <database URL>
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { CommittedChanges } from '../../dist/common/caching/committed-changes.js';
import { DATABASE_TIMES } from '../../dist/config/app-config.js';
import { Database } from '../../dist/data/database.js';
import { Followers } from '../../dist/outbox/followers.js';
import { Outbox } from '../../dist/outbox/outbox.js';
import { OutboxRelay } from '../../dist/outbox/outbox-relay.js';

Logger.overrideLogger(false);
const config = { databaseUrl: process.argv[2], databasePoolSize: 2, databaseTimes: DATABASE_TIMES };
const relay = new OutboxRelay(config, { wake: () => undefined }, new CommittedChanges(), {
  isUnknown: false,
  check: () => Promise.resolve(),
});
const outbox = new Outbox(relay);
const NOTE = {
  name: 'test_note',
  text: `INSERT INTO noted (follower, event_id, sequence, delay)
    SELECT $1, $2, t.sequence, clock_timestamp() - o.committed_at FROM unnest($3::bigint[]) AS t (sequence)
      JOIN outbox o ON o.event_id = $2 AND o.sequence = t.sequence ORDER BY t.sequence`,
};
const followers = new Followers(new Database(config), relay);
for (const name of ['one', 'two', 'three', 'four', 'five'])
  followers.add({
    name,
    handle: async (tx, eventId, rows) => {
      tx.write(NOTE, [name, eventId, rows.map(({ sequence }) => sequence)]);
      // One of them also writes messages of its own, which the others follow too.
      if (name === 'three')
        for (const { donation_id: subjectId, id } of rows)
          if (subjectId !== null && id % 10n === 0n)
            outbox.append(tx, { eventId, topic: 'match.changed', subjectId });
    },
  });
relay.deliverTo(() => Promise.resolve());
relay.onApplicationBootstrap();
followers.onApplicationBootstrap();
process.send?.('ready');
