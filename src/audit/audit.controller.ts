import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AuditList } from './audit-list.service.js';
import { AuditPage, ListAudit } from './dto/audit.dto.js';

@ApiTags('Audit')
@Controller('audit')
export class AuditController {
  constructor(private readonly entries: AuditList) {}

  @Get()
  @Auth('audit:read')
  @ApiOperation({
    summary: 'List the audit log, newest first: sign-ins, failed sign-ins, changes, exports, views of PINs',
  })
  @ApiOkResponse({ type: AuditPage })
  @ApiErrors(400)
  list(@Query() query: ListAudit): Promise<AuditPage> {
    return this.entries.list(query);
  }
}
