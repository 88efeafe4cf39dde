import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { FloorInboxes } from './floor-inbox.service.js';
import { FloorMessages } from './floor-messages.service.js';
import { FloorController } from './floor.controller.js';

/** Messages of the dashboard to the tills, and requests of the tills to the dashboard. */
@Module({
  imports: [EventsModule, GatewayModule],
  controllers: [FloorController],
  providers: [FloorInboxes, FloorMessages],
})
export class FloorModule {}
