import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainService } from './explain.service.js';
import { StoryController } from './story.controller.js';
import { StoryService } from './story.service.js';

/** What totals are made of, and what happened to a donation. */
@Module({
  imports: [DonationsModule, EventsModule],
  controllers: [ExplainController, StoryController],
  providers: [ExplainService, StoryService],
  exports: [ExplainService],
})
export class ExplainModule {}
