// A process with a relay that writes and sends webhooks with short times, for tests that kill it. Usage: node … <database URL>
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { CommittedChanges } from '../../dist/common/caching/committed-changes.js';
import { KeyRing } from '../../dist/common/crypto/key-ring.js';
import { DATABASE_TIMES } from '../../dist/config/app-config.js';
import { Database } from '../../dist/data/database.js';
import { Followers } from '../../dist/outbox/followers.js';
import { OutboxRelay } from '../../dist/outbox/outbox-relay.js';
import { FullBodies } from '../../dist/webhooks/sending/full-bodies.service.js';
import { WebhookSender } from '../../dist/webhooks/sending/webhook-sender.service.js';
import { WebhooksFollower } from '../../dist/webhooks/webhooks-follower.js';

Logger.overrideLogger(false);
const config = {
  databaseUrl: process.argv[2],
  databasePoolSize: 6,
  databaseTimes: DATABASE_TIMES,
  pinSecret: process.argv[3],
  publicUrl: 'https://give.example.org',
  webhooks: {
    production: false,
    isOff: false,
    ports: [],
    privateNetworks: [],
    times: {
      answerMs: 1_000,
      leaseMs: 1_500,
      lookMs: 50,
      waitsMs: [0, ...Array.from({ length: 30 }, () => 100)],
      replayMs: 1,
    },
  },
};
const database = new Database(config);
const relay = new OutboxRelay(config, { wake: () => undefined }, new CommittedChanges(), {
  isUnknown: false,
  check: () => Promise.resolve(),
});
const followers = new Followers(database, relay);
const sender = new WebhookSender(config, database, relay, new KeyRing(config), new FullBodies(database), {
  enqueueWebhookDisabled: () => undefined,
});
new WebhooksFollower(followers, sender, config).onModuleInit();
relay.deliverTo(() => Promise.resolve());
relay.onApplicationBootstrap();
followers.onApplicationBootstrap();
sender.onApplicationBootstrap();
process.send?.('ready');
