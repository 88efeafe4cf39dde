import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { MatchController } from './match.controller.js';
import { MatchFollower } from './match-follower.js';
import { MatchLetterFacts } from './match-letter-facts.service.js';
import { MatchPools } from './match-pools.service.js';
import { MatchSchedule } from './match-schedule.service.js';
import { MatchSettlements } from './match-settlements.service.js';
import { PoolClock } from './pool-clock.service.js';
import { PublicMatchController } from './public-match.controller.js';
import { PublicMatch } from './public-match.service.js';

/** Match pools: promises to add to donations, what donations drew, and the payments of the matchers. */
@Module({
  imports: [DonationsModule, EventsModule, GatewayModule, SettingsModule],
  controllers: [MatchController, PublicMatchController],
  providers: [
    MatchFollower,
    MatchLetterFacts,
    MatchPools,
    MatchSchedule,
    MatchSettlements,
    PoolClock,
    PublicMatch,
  ],
  exports: [MatchLetterFacts, PublicMatch],
})
export class MatchModule {}
