import { Module } from '@nestjs/common';
import { FullBodies } from './sending/full-bodies.service.js';
import { WebhookSender } from './sending/webhook-sender.service.js';
import { SettingsModule } from '../settings/settings.module.js';
import { WebhookEmails } from './webhook-emails.js';
import { WebhookEndpoints } from './webhook-endpoints.service.js';
import { WebhookPledges } from './webhook-pledges.service.js';
import { WebhookMessages } from './webhook-messages.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksFollower } from './webhooks-follower.js';

/** Outgoing webhooks: messages to other systems about changes, as in Standard Webhooks 1.0. */
@Module({
  imports: [SettingsModule],
  controllers: [WebhooksController],
  providers: [
    FullBodies,
    WebhookEmails,
    WebhookEndpoints,
    WebhookMessages,
    WebhookPledges,
    WebhookSender,
    WebhooksFollower,
  ],
})
export class WebhooksModule {}
