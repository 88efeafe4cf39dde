import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { PoolReportsModule } from '../match/pool-reports.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { EveningController } from './evening/evening.controller.js';
import { StatisticsService } from './evening/statistics.service.js';
import { TonightService } from './evening/tonight.service.js';
import { ExplainController, StoryController } from './explain/explain.controller.js';
import { ExplainService } from './explain/explain.service.js';
import { StoryService } from './explain/story.service.js';
import { OpenReviewController, ReviewController } from './review/review.controller.js';
import { ReviewService } from './review/review.service.js';
import { SummaryController } from './summary/summary.controller.js';
import { SummaryDownloads } from './summary/summary-downloads.service.js';
import { SummaryService } from './summary/summary.service.js';

/** Read-only reports: review items, explained totals, running and finished events. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, PledgesModule, PoolReportsModule, SettingsModule],
  controllers: [
    ReviewController,
    OpenReviewController,
    ExplainController,
    StoryController,
    EveningController,
    SummaryController,
  ],
  providers: [
    ReviewService,
    ExplainService,
    StoryService,
    StatisticsService,
    TonightService,
    SummaryDownloads,
    SummaryService,
  ],
})
export class ReportingModule {}
