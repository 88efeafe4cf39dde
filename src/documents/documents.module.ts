import { Module } from '@nestjs/common';
import { ExportSlots } from './export-slots.js';
import { ExportThread } from './thread/export-thread.js';

/** PDF, ZIP and CSV, written beside the evening. */
@Module({ providers: [ExportSlots, ExportThread], exports: [ExportSlots, ExportThread] })
export class DocumentsModule {}
