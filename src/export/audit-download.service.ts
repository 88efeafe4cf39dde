import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../audit/audit.js';
import { AuditList } from '../audit/audit-list.service.js';
import type { AuditEntryDto, AuditFilter } from '../audit/dto/audit.dto.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { localDay } from '../common/text/local-time.js';
import { ExportSlots } from '../documents/export-slots.js';
import { sendDownload } from '../documents/http/send-download.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import { SettingsService } from '../settings/settings.service.js';

const COLUMNS = {
  createdAt: ({ createdAt }) => createdAt,
  actor: ({ actor }) => actor,
  actorId: ({ actorId }) => actorId,
  action: ({ action }) => action,
  subjectId: ({ subjectId }) => subjectId,
  detail: ({ detail }) => (Object.keys(detail).length > 0 ? JSON.stringify(detail) : null),
  address: ({ address }) => address,
  client: ({ client }) => client,
  id: ({ id }) => id,
} satisfies Record<string, (entry: AuditEntryDto) => string | null>;

/** Sends the audit log as CSV. */
@Injectable()
export class AuditDownload {
  constructor(
    private readonly entries: AuditList,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
    private readonly settings: SettingsService,
  ) {}

  async csv(caller: Principal, filter: AuditFilter, response: Response): Promise<void> {
    await this.audit.record(actorOf(caller), 'audit.export', null, { filters: Object.keys(filter) });
    const { timezone } = await this.settings.effective({});
    await sendDownload(response, {
      fileName: `audit-${localDay(new Date(), timezone)}.csv`,
      contentType: 'text/csv; charset=utf-8; header=present',
      body: this.slots.hold(this.file(filter)),
    });
  }

  private async *file(filter: AuditFilter): AsyncGenerator<Buffer, void, undefined> {
    let head = BOM + csvRecord(Object.keys(COLUMNS));
    for await (const entries of this.entries.walk(filter)) {
      const records = entries.map((entry) => csvRecord(Object.values(COLUMNS).map((cell) => cell(entry))));
      yield Buffer.from(head + records.join(''));
      head = '';
    }
    if (head !== '') yield Buffer.from(head);
  }
}
