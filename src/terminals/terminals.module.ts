import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { Enrolments } from './enrolment.service.js';
import { TerminalsController } from './terminals.controller.js';
import { Terminals } from './terminals.service.js';

@Module({
  imports: [AuthModule, EventsModule],
  controllers: [TerminalsController],
  providers: [Enrolments, Terminals],
})
export class TerminalsModule {}
