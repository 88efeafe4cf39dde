import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { EveningController } from './evening.controller.js';
import { StatisticsService } from './statistics.service.js';
import { TonightService } from './tonight.service.js';

/** An event while it runs, and its figures afterwards. */
@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [EveningController],
  providers: [StatisticsService, TonightService],
})
export class EveningModule {}
