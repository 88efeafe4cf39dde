import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { NotifiedPersons } from './notified-persons.service.js';
import { TributeEmails } from './tribute-emails.service.js';
import { TributeSchedule } from './tribute-schedule.service.js';

/** Donations in honour or in memory of somebody: the e-mail to a person whom the donor names. */
@Module({
  imports: [DonationsModule, EventsModule, SettingsModule],
  providers: [NotifiedPersons, TributeEmails, TributeSchedule],
  exports: [NotifiedPersons],
})
export class TributesModule {}
