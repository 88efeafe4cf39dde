import { Module } from '@nestjs/common';
import { DonorsModule } from '../donors/donors.module.js';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { MilestonesModule } from '../milestones/milestones.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { MatchModule } from '../match/match.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AccessibilityController } from './accessibility/accessibility.controller.js';
import { AccessibilityService } from './accessibility/accessibility.service.js';
import { AdminController } from './admin/admin.controller.js';
import { AdminService } from './admin/admin.service.js';
import { DonateActions } from './donate/donate-actions.service.js';
import { DonateController } from './donate/donate.controller.js';
import { DonatePages } from './donate/donate.service.js';
import { DonateViews } from './donate/donate-views.service.js';
import { EmbedController } from './embed/embed.controller.js';
import { EmbedService } from './embed/embed.service.js';
import { MeController } from './me/me.controller.js';
import { MeGuard } from './me/me.guard.js';
import { MePages } from './me/me-pages.service.js';
import { PledgeController } from './pledge/pledge.controller.js';
import { PledgePages } from './pledge/pledge-pages.service.js';
import { LogoTones } from './logo-tones.js';
import { ReadyController } from './ready/ready.controller.js';
import { ReadyPages } from './ready/ready-pages.service.js';
import { PosController } from './pos/pos.controller.js';
import { PosService } from './pos/pos.service.js';
import { ReceiptCheckController } from './receipt-check/receipt-check.controller.js';
import { ReceiptCheckPages } from './receipt-check/receipt-check-pages.service.js';
import { StageController } from './stage/stage.controller.js';
import { StageService } from './stage/stage.service.js';
import { StartController } from './start.controller.js';
import { StartService } from './start.service.js';
import { TributesModule } from '../tributes/tributes.module.js';
import { TributeController } from './tribute/tribute.controller.js';
import { TributePages } from './tribute/tribute-pages.service.js';
import { WallController } from './wall/wall.controller.js';
import { WallService } from './wall/wall.service.js';
import { WalletReturnController } from './wallet-return.controller.js';
import { WalletReturnService } from './wallet-return.service.js';

/** The HTML pages. They use only features that the public API also has. */
@Module({
  imports: [
    DonorsModule,
    EventsModule,
    GatewayModule,
    MilestonesModule,
    TeamsModule,
    MatchModule,
    PledgesModule,
    ReceiptsModule,
    SettingsModule,
    TributesModule,
  ],
  controllers: [
    StartController,
    AccessibilityController,
    AdminController,
    // Before the donate page, whose last part can be any team.
    ReadyController,
    DonateController,
    EmbedController,
    WallController,
    MeController,
    PledgeController,
    PosController,
    ReceiptCheckController,
    StageController,
    TributeController,
    WalletReturnController,
  ],
  providers: [
    StartService,
    LogoTones,
    AccessibilityService,
    AdminService,
    DonateActions,
    DonatePages,
    DonateViews,
    EmbedService,
    WallService,
    MeGuard,
    MePages,
    PledgePages,
    ReadyPages,
    PosService,
    ReceiptCheckPages,
    StageService,
    TributePages,
    WalletReturnService,
  ],
})
export class PagesModule {}
