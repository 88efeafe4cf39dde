import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { AssignmentsController } from './assignments.controller.js';
import { AssignmentsService } from './assignments.service.js';
import { Pins } from './pins.js';
import { StaffController } from './staff.controller.js';
import { StaffService } from './staff.service.js';

@Module({
  imports: [AuthModule],
  controllers: [StaffController, AssignmentsController],
  providers: [AssignmentsService, EventLookup, Pins, StaffService],
})
export class StaffModule {}
