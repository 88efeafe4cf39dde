import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { RehearsalEndings } from './rehearsal-endings.service.js';
import { RehearsalController } from './rehearsal.controller.js';
import { Rehearsals } from './rehearsals.service.js';

/** Rehearsals of events: twins that leave nothing behind. */
@Module({
  imports: [AuthModule, EventsModule],
  controllers: [RehearsalController],
  providers: [RehearsalEndings, Rehearsals],
})
export class RehearsalModule {}
