import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { PaymentLinks } from './payment-links.service.js';
import { PledgeReminders, PledgeReminderWriter } from './pledge-reminders.service.js';
import { PledgeRounds } from './pledge-rounds.service.js';
import { SettingsModule } from '../settings/settings.module.js';
import { PledgesController } from './pledges.controller.js';

/** Pledge rounds, links to pay a pledge online, and reminders of unpaid pledges. */
@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [PledgesController],
  providers: [PaymentLinks, PledgeReminders, PledgeReminderWriter, PledgeRounds],
  exports: [PaymentLinks, PledgeRounds],
})
export class PledgesModule {}
