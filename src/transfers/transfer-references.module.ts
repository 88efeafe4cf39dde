import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { TransferReferences } from './transfer-references.service.js';

/** References of bank transfers. It needs no e-mails, so operator commands that use payments can load it. */
@Module({
  imports: [EventsModule, SettingsModule],
  providers: [TransferReferences],
  exports: [TransferReferences],
})
export class TransferReferencesModule {}
