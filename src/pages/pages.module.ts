import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { DonateActions } from './donate/donate-actions.service.js';
import { DonateController } from './donate/donate.controller.js';
import { DonatePages } from './donate/donate.service.js';
import { StartController } from './start.controller.js';
import { StartService } from './start.service.js';
import { WallController } from './wall/wall.controller.js';
import { WallService } from './wall/wall.service.js';
import { WalletReturnController } from './wallet-return.controller.js';
import { WalletReturnService } from './wallet-return.service.js';

/** The pages for people. They use what the public API offers, and nothing else. */
@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [StartController, DonateController, WallController, WalletReturnController],
  providers: [StartService, DonateActions, DonatePages, WallService, WalletReturnService],
})
export class PagesModule {}
