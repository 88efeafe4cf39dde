import { Module } from '@nestjs/common';
import { ExportSlots } from './export-slots.js';
import { ExportThread } from './thread/export-thread.js';

/** PDF, ZIP and CSV files. */
@Module({ providers: [ExportSlots, ExportThread], exports: [ExportSlots, ExportThread] })
export class DocumentsModule {}
