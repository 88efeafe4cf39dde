import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AdminController } from './admin/admin.controller.js';
import { AdminService } from './admin/admin.service.js';
import { DonateActions } from './donate/donate-actions.service.js';
import { DonateController } from './donate/donate.controller.js';
import { DonatePages } from './donate/donate.service.js';
import { DonateViews } from './donate/donate-views.service.js';
import { EmbedController } from './embed/embed.controller.js';
import { EmbedService } from './embed/embed.service.js';
import { PledgeController } from './pledge/pledge.controller.js';
import { PledgePages } from './pledge/pledge-pages.service.js';
import { PosController } from './pos/pos.controller.js';
import { PosService } from './pos/pos.service.js';
import { StartController } from './start.controller.js';
import { StartService } from './start.service.js';
import { WallController } from './wall/wall.controller.js';
import { WallService } from './wall/wall.service.js';
import { WalletReturnController } from './wallet-return.controller.js';
import { WalletReturnService } from './wallet-return.service.js';

/** The HTML pages. They use only features that the public API also has. */
@Module({
  imports: [EventsModule, GatewayModule, PledgesModule, SettingsModule],
  controllers: [
    StartController,
    AdminController,
    DonateController,
    EmbedController,
    WallController,
    PledgeController,
    PosController,
    WalletReturnController,
  ],
  providers: [
    StartService,
    AdminService,
    DonateActions,
    DonatePages,
    DonateViews,
    EmbedService,
    WallService,
    PledgePages,
    PosService,
    WalletReturnService,
  ],
})
export class PagesModule {}
