import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { PaymentLinks } from './payment-links.service.js';
import { PledgeRounds } from './pledge-rounds.service.js';
import { PledgesController } from './pledges.controller.js';

/** Pledge rounds, and links to pay a pledge online. */
@Module({
  imports: [EventsModule],
  controllers: [PledgesController],
  providers: [PaymentLinks, PledgeRounds],
  exports: [PaymentLinks, PledgeRounds],
})
export class PledgesModule {}
