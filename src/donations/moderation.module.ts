import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ModerationController } from './moderation.controller.js';
import { ModerationService } from './moderation.service.js';

@Module({ imports: [EventsModule], controllers: [ModerationController], providers: [ModerationService] })
export class ModerationModule {}
