import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { OwnPledges } from './emails/own-pledges.service.js';
import { PledgeContacts } from './emails/pledge-contacts.service.js';
import { PledgeClock } from './emails/pledge-clock.js';
import { PledgeEmails, PledgeLanguages } from './emails/pledge-emails.service.js';
import { PledgeSchedule } from './emails/pledge-schedule.service.js';
import { CardBatches } from './cards/card-batches.service.js';
import { CardCharges } from './cards/card-charges.service.js';
import { CardChargesController } from './cards/card-charges.controller.js';
import { CardEndings } from './cards/card-endings.service.js';
import { ChargeEmails } from './cards/charge-emails.service.js';
import { ChargePace } from './cards/charge-pace.js';
import { GuestCardLinks } from './cards/guest-card-links.service.js';
import { GuestCards } from './cards/guest-cards.service.js';
import { OpenPledges } from './open-pledges.service.js';
import { PaymentLinks } from './payment-links.service.js';
import { PledgeReminders } from './pledge-reminders.service.js';
import { PledgeRounds } from './pledge-rounds.service.js';
import { PledgesController } from './pledges.controller.js';
import { TransferReferencesModule } from '../transfers/transfer-references.module.js';
import { WaysToPay } from './ways-to-pay.js';

/** Pledge rounds, links to pay a pledge online, and the e-mails about unpaid pledges. */
@Module({
  imports: [DonationsModule, EventsModule, SettingsModule, TransferReferencesModule],
  controllers: [PledgesController, CardChargesController],
  providers: [
    CardBatches,
    CardCharges,
    CardEndings,
    ChargeEmails,
    ChargePace,
    GuestCardLinks,
    GuestCards,
    OpenPledges,
    OwnPledges,
    PaymentLinks,
    PledgeClock,
    PledgeContacts,
    PledgeEmails,
    PledgeLanguages,
    PledgeReminders,
    PledgeRounds,
    PledgeSchedule,
    WaysToPay,
  ],
  exports: [GuestCards, OwnPledges, PaymentLinks, PledgeContacts, PledgeLanguages, PledgeRounds, WaysToPay],
})
export class PledgesModule {}
