import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { StartController } from './start.controller.js';
import { StartService } from './start.service.js';
import { WallController } from './wall/wall.controller.js';
import { WallService } from './wall/wall.service.js';
import { WalletReturnController } from './wallet-return.controller.js';
import { WalletReturnService } from './wallet-return.service.js';

/** The pages for people. They use what the public API offers, and nothing else. */
@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [StartController, WallController, WalletReturnController],
  providers: [StartService, WallService, WalletReturnService],
})
export class PagesModule {}
