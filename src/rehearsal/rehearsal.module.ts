import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { RehearsalPurge } from './rehearsal-purge.service.js';
import { RehearsalController } from './rehearsal.controller.js';
import { Rehearsals } from './rehearsals.service.js';

/** Rehearsals of events: twins that leave nothing behind. */
@Module({
  imports: [AuthModule, EventsModule],
  controllers: [RehearsalController],
  providers: [RehearsalPurge, Rehearsals],
})
export class RehearsalModule {}
