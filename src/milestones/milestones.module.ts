import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { MilestoneMessages } from './milestone-messages.service.js';
import { Milestones } from './milestones.service.js';
import { MilestonesController } from './milestones.controller.js';
import { MilestonesFollower } from './milestones-follower.js';
import { ReachedMilestones } from './reached-milestones.service.js';
import { ShownMilestones } from './shown-milestones.service.js';
import { WallMoments } from './wall-moments.service.js';

/** Milestones of an event, their announcement on the walls, and moments that the team calls by hand. */
@Module({
  imports: [EventsModule, GatewayModule],
  controllers: [MilestonesController],
  providers: [
    MilestoneMessages,
    Milestones,
    MilestonesFollower,
    ReachedMilestones,
    ShownMilestones,
    WallMoments,
  ],
  exports: [ShownMilestones],
})
export class MilestonesModule {}
