import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { BoardBroadcasts } from './board-broadcasts.js';
import { Boards } from './boards.service.js';
import { ShownTeams } from './shown-teams.service.js';
import { TeamFollower } from './team-follower.js';
import { TeamsController } from './teams.controller.js';
import { TeamsService } from './teams.service.js';

/** Teams of an event (tables, teams and persons) and their public board. */
@Module({
  imports: [EventsModule, GatewayModule],
  controllers: [TeamsController],
  providers: [BoardBroadcasts, Boards, ShownTeams, TeamFollower, TeamsService],
  exports: [Boards, ShownTeams, TeamsService],
})
export class TeamsModule {}
