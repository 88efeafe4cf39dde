import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { EventLists } from './event-lists.service.js';
import { EventLookup } from './event-lookup.service.js';
import { EventReads } from './event-reads.service.js';
import { EventRemoval } from './event-removal.service.js';
import { EventSettingsController } from './event-settings.controller.js';
import { EventSettings } from './event-settings.service.js';
import { EventTotals } from './event-totals.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { PayableCurrencies } from './payable-currencies.js';
import { PublicEvents } from './public-events.service.js';

@Module({
  imports: [AuthModule, SettingsModule],
  controllers: [EventsController, EventSettingsController],
  providers: [
    EventLists,
    EventLookup,
    EventReads,
    EventRemoval,
    EventSettings,
    EventsService,
    EventTotals,
    PayableCurrencies,
    PublicEvents,
  ],
  exports: [EventLists, EventLookup, EventTotals, PayableCurrencies, PublicEvents],
})
export class EventsModule {}
