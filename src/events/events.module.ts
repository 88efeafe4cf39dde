import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/settings.module.js';
import { EventLookup } from './event-lookup.service.js';
import { EventTotals } from './event-totals.service.js';

@Module({
  imports: [SettingsModule],
  providers: [EventLookup, EventTotals],
  exports: [EventLookup, EventTotals],
})
export class EventsModule {}
