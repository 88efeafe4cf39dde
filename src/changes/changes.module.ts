import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ChangeWaits } from './change-waits.js';
import { ChangesController } from './changes.controller.js';
import { ChangesService } from './changes.service.js';

/** The changes of all events in order, for programs that copy the data. */
@Module({ imports: [AuthModule], controllers: [ChangesController], providers: [ChangeWaits, ChangesService] })
export class ChangesModule {}
