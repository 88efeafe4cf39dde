import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { ShiftViews } from './shift-views.service.js';
import { ShiftsController, TillReportController } from './shifts.controller.js';
import { Shifts } from './shifts.service.js';

/** Opening floats, blind counts, second signatures and till reports. */
@Module({
  imports: [AuthModule, EventsModule],
  controllers: [ShiftsController, TillReportController],
  providers: [Shifts, ShiftViews],
})
export class ShiftsModule {}
