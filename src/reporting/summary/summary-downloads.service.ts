import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { localDay } from '../../common/text/local-time.js';
import { SettingsService } from '../../settings/settings.service.js';
import { sendDownload } from '../../documents/http/send-download.js';
import { wordingFor } from '../../receipts/receipt-wording.js';
import { ExportThread } from '../../documents/thread/export-thread.js';
import { threadFile } from '../../documents/thread/thread-file.js';
import type { ThreadFunction } from '../../documents/thread/thread-messages.js';
import { summaryCsv } from './summary-csv.js';
import {
  type SUMMARY_FORMATS,
  toCurrencySummary,
  toPoolSummary,
  toShiftCash,
  type EventSummaryDto,
} from './summary.dto.js';
import { type EventSummary, SummaryService } from './summary.service.js';
import type { SummaryToDraw } from './summary-pdf.js';
import { summaryLanguage, summaryWordingFor } from './summary-wording.js';

type Format = (typeof SUMMARY_FORMATS)[number];

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8; header=present', pdf: 'application/pdf' } as const;

const SUMMARY_PDF: ThreadFunction<SummaryToDraw, Uint8Array> = {
  file: threadFile('reporting/summary/summary-pdf.js'),
  name: 'summaryPdf',
};

/** Sends an event's summary in the requested format. */
@Injectable()
export class SummaryDownloads {
  constructor(
    private readonly summaries: SummaryService,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
    private readonly thread: ExportThread,
  ) {}

  async send(caller: Principal, ref: string, format: Format, response: Response): Promise<void> {
    const summary = await this.summaries.of(caller, ref);
    const { event } = summary;
    if (format === 'json') {
      response.status(200).json(toSummary(summary));
      return;
    }
    const bytes = await this.file(summary, format);
    await this.audit.record(actorOf(caller), 'summary.export', event.id, { format });
    await sendDownload(response, {
      fileName: `summary-${event.slug}-${localDay(summary.asOf, summary.timezone)}.${format}`,
      contentType: CONTENT_TYPES[format],
      body: once(bytes),
    });
  }

  private async file(summary: EventSummary, format: 'csv' | 'pdf'): Promise<Buffer> {
    const { organization, locales } = await this.settings.effective(summary.event.overrides);
    const language = summaryLanguage(locales.default);
    const { wording } = wordingFor(language);
    const words = {
      summary: summaryWordingFor(language),
      types: wording.types,
      timezone: summary.timezone,
      locale: locales.default,
      language,
    };
    if (format === 'csv') return summaryCsv(summary, words);
    const look = { organization, locale: locales.default, language };
    return await this.thread.bytes(SUMMARY_PDF, { summary, words, look });
  }
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes;
}

const toSummary = ({
  event,
  asOf,
  timezone,
  currencies,
  cash,
  payouts,
  pledgeRounds,
  matchPools,
}: EventSummary): EventSummaryDto => ({
  event: {
    id: event.id,
    slug: event.slug,
    name: event.name,
    date: event.date.toISOString(),
    status: event.status,
  },
  asOf: asOf.toISOString(),
  timezone,
  currencies: currencies.map((one) => toCurrencySummary(one, timezone)),
  cash: cash.map(toShiftCash),
  payouts,
  pledgeRounds,
  matchPools: matchPools.map(toPoolSummary),
});
