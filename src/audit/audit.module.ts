import { Global, Module } from '@nestjs/common';
import { AuditList } from './audit-list.service.js';
import { Audit } from './audit.js';
import { AuditController } from './audit.controller.js';

@Global()
@Module({ controllers: [AuditController], providers: [Audit, AuditList], exports: [Audit, AuditList] })
export class AuditModule {}
