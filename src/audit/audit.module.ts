import { Global, Module } from '@nestjs/common';
import { AuditList } from './audit-list.service.js';
import { Audit } from './audit.js';
import { EditConflicts } from './edit-conflicts.service.js';
import { AuditController } from './audit.controller.js';
import { Names } from './names.service.js';

@Global()
@Module({
  controllers: [AuditController],
  providers: [Audit, AuditList, EditConflicts, Names],
  exports: [Audit, AuditList, EditConflicts, Names],
})
export class AuditModule {}
