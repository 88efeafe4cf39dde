import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { AddressBudgets } from './address-limits.js';
import { CatchUps } from './catch-up.service.js';
import { Heartbeat } from './heartbeat.js';
import { FeedSubjects } from './feed-subjects.js';
import { EventRefs } from './join-request.js';
import { LiveFeed } from './live-feed.service.js';
import { LiveGateway } from './live.gateway.js';
import { LiveWiring } from './live-wiring.js';
import { LivePublisher, RoomBroadcaster } from './broadcasts.js';
import { NewestDonations } from './newest-donations.service.js';
import { SettingsModule } from '../settings/settings.module.js';
import { SocketSessions } from './socket-sessions.js';
import { StaffRooms } from './staff-rooms.js';
import { Standings } from './standings.js';
import { WallControls } from './wall-controls.js';

/** The live channel: rooms, their messages, and checks of open connections. */
@Module({
  imports: [AuthModule, EventsModule, SettingsModule],
  providers: [
    AddressBudgets,
    CatchUps,
    EventRefs,
    FeedSubjects,
    Heartbeat,
    LiveFeed,
    LiveGateway,
    LivePublisher,
    LiveWiring,
    NewestDonations,
    RoomBroadcaster,
    SocketSessions,
    StaffRooms,
    Standings,
    WallControls,
  ],
  exports: [FeedSubjects, NewestDonations, RoomBroadcaster, StaffRooms],
})
export class GatewayModule {}
