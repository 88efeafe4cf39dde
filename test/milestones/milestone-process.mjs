// A process that follows the feeds and marks reached milestones, for tests that kill it. Usage: node … <database URL>
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { CommittedChanges } from '../../dist/common/caching/committed-changes.js';
import { DATABASE_TIMES } from '../../dist/config/app-config.js';
import { Database } from '../../dist/data/database.js';
import { MilestonesFollower } from '../../dist/milestones/milestones-follower.js';
import { ReachedMilestones } from '../../dist/milestones/reached-milestones.service.js';
import { Followers } from '../../dist/outbox/followers.js';
import { Outbox } from '../../dist/outbox/outbox.js';
import { OutboxRelay } from '../../dist/outbox/outbox-relay.js';

Logger.overrideLogger(false);
const config = { databaseUrl: process.argv[2], databasePoolSize: 2, databaseTimes: DATABASE_TIMES };
const relay = new OutboxRelay(config, { wake: () => undefined }, new CommittedChanges(), {
  isUnknown: false,
  check: () => Promise.resolve(),
});
const database = new Database(config);
const followers = new Followers(database, relay);
new MilestonesFollower(followers, new ReachedMilestones(database, new Outbox(relay), relay)).onModuleInit();
relay.deliverTo(() => Promise.resolve());
relay.onApplicationBootstrap();
followers.onApplicationBootstrap();
process.send?.('ready');
