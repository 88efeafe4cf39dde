import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GuestImport } from './import/guest-import.service.js';
import { CheckIns } from './check-in.service.js';
import { GuestLists } from './guest-list.service.js';
import { GuestRetention } from './guest-retention.js';
import { GuestScope } from './guest-scope.service.js';
import { GuestsController } from './guests.controller.js';
import { GuestsService } from './guests.service.js';

@Module({
  imports: [EventsModule],
  controllers: [GuestsController],
  providers: [CheckIns, GuestLists, GuestImport, GuestRetention, GuestScope, GuestsService],
  exports: [GuestImport, GuestLists],
})
export class GuestsModule {}
