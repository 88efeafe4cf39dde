import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/settings.module.js';
import { EventLists } from './event-lists.service.js';
import { EventLookup } from './event-lookup.service.js';
import { EventSettingsController } from './event-settings.controller.js';
import { EventSettings } from './event-settings.service.js';
import { EventTotals } from './event-totals.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  imports: [SettingsModule],
  controllers: [EventsController, EventSettingsController],
  providers: [EventLists, EventLookup, EventSettings, EventsService, EventTotals],
  exports: [EventLookup, EventTotals],
})
export class EventsModule {}
