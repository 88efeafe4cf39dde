import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { DonationsModule } from '../donations.module.js';
import { ModerationController } from './moderation.controller.js';
import { ModerationService } from './moderation.service.js';

@Module({
  imports: [DonationsModule, EventsModule],
  controllers: [ModerationController],
  providers: [ModerationService],
})
export class ModerationModule {}
