import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AssignmentsController } from './assignments.controller.js';
import { AssignmentsService } from './assignments.service.js';
import { Pins } from './pins.js';
import { StaffController } from './staff.controller.js';
import { StaffService } from './staff.service.js';

@Module({
  imports: [AuthModule, EventsModule, SettingsModule],
  controllers: [StaffController, AssignmentsController],
  providers: [AssignmentsService, Pins, StaffService],
})
export class StaffModule {}
