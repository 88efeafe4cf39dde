import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../audit/audit.js';
import { assertSeesDonors, hidesDonors } from '../donations/donors/hidden-donors.js';
import { DonationListService } from '../donations/list/donation-list.service.js';
import type { Settings } from '../settings/settings.js';
import { SettingsService } from '../settings/settings.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { ExportSlots } from '../documents/export-slots.js';
import { sendDownload } from '../documents/http/send-download.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import type { ExportDonationsDto, FORMATS } from './dto/export-donations.dto.js';
import { isRightToLeft } from '../common/text/direction.js';
import { localDay } from '../common/text/local-time.js';
import { wordingFor } from '../receipts/receipt-wording.js';
import { DonationsSheet } from './donations-sheet.service.js';
import type { PeopleWords } from './exported-donations.sql.js';
import { peopleWordingFor } from './people-wording.js';
import { DonationsCsv } from './donations-csv.service.js';
import { SystemFiles } from './systems/system-files.service.js';
import { type System, SYSTEMS } from './systems/system-names.js';

/** Content type of an XLSX workbook. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

type Format = (typeof FORMATS)[number];

interface Asked {
  readonly condition: DonationCondition;
  readonly settings: Settings;
  readonly language: string | undefined;
  readonly hasDonors: boolean;
}

interface ExportFile {
  /** End of the file name. */
  readonly ending: string;
  readonly contentType: string;
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/** Sends donations as a spreadsheet, as CSV, or as files for another system. */
@Injectable()
export class DonationsDownload {
  constructor(
    private readonly donations: DonationListService,
    private readonly events: EventLookup,
    private readonly files: DonationsCsv,
    private readonly sheets: DonationsSheet,
    private readonly systems: SystemFiles,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
    private readonly settings: SettingsService,
  ) {}

  async send(
    caller: Principal,
    { format = 'machine', language, rehearsal = false, ...filter }: ExportDonationsDto,
    response: Response,
  ): Promise<void> {
    if (format !== 'machine') assertSeesDonors(caller);
    const found = await this.donations.condition(caller, filter);
    const condition = rehearsal
      ? found
      : { ...found, where: `${found.where} AND ${notRehearsal('event_id')}` };
    const event = filter.eventId ? await this.events.find(filter.eventId) : undefined;
    // The audit log stores only the names of the filters, because a search text can be a person's name.
    await this.audit.record(actorOf(caller), 'donations.export', event?.id ?? null, {
      filters: Object.keys(filter),
      ...(format !== 'machine' && { format }),
    });
    const settings = await this.settings.effective(event?.overrides ?? {});
    const name = `donations${event ? `-${event.slug}` : ''}-${localDay(new Date(), settings.timezone)}`;
    const file = this.file(format, { condition, settings, language, hasDonors: !hidesDonors(caller) });
    await sendDownload(response, {
      fileName: `${name}${file.ending}`,
      contentType: file.contentType,
      body: this.slots.hold(file.body),
    });
  }

  private file(format: Format, { condition, settings, language, hasDonors }: Asked): ExportFile {
    if (isSystem(format))
      return {
        ending: `-${format}.zip`,
        contentType: 'application/zip',
        body: this.systems.zip(format, condition, settings),
      };
    const people = peopleWords(settings, language);
    if (format === 'xlsx')
      return {
        ending: '.xlsx',
        contentType: XLSX,
        body: this.sheets.file(condition, people, isRightToLeft(people.language)),
      };
    // The two CSV files have different columns, so they have different names.
    return {
      ending: `${format === 'people' ? '-people' : ''}.csv`,
      contentType: 'text/csv; charset=utf-8; header=present',
      body: this.files.file(condition, format === 'people' ? people : undefined, hasDonors),
    };
  }
}

/**
 * Returns the words and the time zone of a file for people.
 * @param language the requested language; without it, the language of the event, or of the organization if the file has several
 * events
 */
function peopleWords({ locales, timezone }: Settings, language: string | undefined): PeopleWords {
  const receipt = wordingFor(language ?? locales.default);
  return {
    wording: peopleWordingFor(receipt.language),
    types: receipt.wording.types,
    timezone,
    language: receipt.language,
  };
}

const isSystem = (format: Format): format is System => SYSTEMS.some((system) => system === format);
