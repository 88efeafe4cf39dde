import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../audit/audit.js';
import { DonationListService } from '../donations/list/donation-list.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { ExportSlots } from '../documents/export-slots.js';
import { sendDownload } from '../documents/http/send-download.js';
import type { ExportDonationsDto } from './dto/export-donations.dto.js';
import { wordingFor } from '../receipts/receipt-wording.js';
import type { PeopleWords } from './donations-csv.sql.js';
import { peopleWordingFor } from './people-wording.js';
import { DonationsCsv } from './donations-csv.service.js';

/** Sends donations as CSV. */
@Injectable()
export class DonationsDownload {
  constructor(
    private readonly donations: DonationListService,
    private readonly events: EventLookup,
    private readonly files: DonationsCsv,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
    private readonly settings: SettingsService,
  ) {}

  async csv(caller: Principal, { format, ...filter }: ExportDonationsDto, response: Response): Promise<void> {
    const condition = await this.donations.condition(caller, filter);
    const event = filter.eventId ? await this.events.find(filter.eventId) : undefined;
    // The audit log stores only the names of the filters, because a search text can be a person's name.
    await this.audit.record(actorOf(caller), 'donations.export', event?.id ?? null, {
      filters: Object.keys(filter),
      ...(format === 'people' && { format }),
    });
    const people = format === 'people' ? await this.people(event?.overrides ?? {}) : undefined;
    const day = new Date().toISOString().slice(0, 10);
    await sendDownload(response, {
      fileName: `donations${event ? `-${event.slug}` : ''}-${day}.csv`,
      contentType: 'text/csv; charset=utf-8; header=present',
      body: this.slots.hold(this.files.file(condition, people)),
    });
  }

  /** Returns the language and time zone of the event, or of the organization if the file has several events. */
  private async people(overrides: unknown): Promise<PeopleWords> {
    const { locales, timezone } = await this.settings.effective(overrides);
    const { language, wording } = wordingFor(locales.default);
    return { wording: peopleWordingFor(language), types: wording.types, timezone };
  }
}
