import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { currencyExponent, toDecimalString } from '../common/money/money.js';
import { localDay } from '../common/text/local-time.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { Database } from '../data/database.js';
import { BOM, type CsvCell, csvRecord, ExactNumber } from '../documents/csv/csv-text.js';
import { ExportSlots } from '../documents/export-slots.js';
import { sendDownload } from '../documents/http/send-download.js';
import { SettingsService } from '../settings/settings.service.js';
import type { GiftAidExportQuery } from './dto/gift-aid.dto.js';
import { CLAIMABLE, type ClaimableRow } from './gift-aid.sql.js';

const PAGE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Columns of the file. The date is the local day of the donation in the `timezone` setting. */
const COLUMNS = {
  donationId: ({ covered_id }) => covered_id,
  eventName: ({ event_name }) => event_name,
  givenOn: ({ given_at }, timezone) => localDay(given_at, timezone),
  amount: ({ amount, currency }) => new ExactNumber(toDecimalString(amount, currencyExponent(currency))),
  currency: ({ currency }) => currency.toUpperCase(),
  firstName: ({ first_name }) => first_name,
  lastName: ({ last_name }) => last_name,
  addressLine1: ({ address }) => address.line1,
  addressLine2: ({ address }) => address.line2,
  city: ({ address }) => address.city,
  postcode: ({ address }) => address.postcode,
  country: ({ address }) => address.country,
  declarationId: ({ id }) => id,
  declaredAt: ({ declared_at }) => declared_at.toISOString(),
  scope: ({ scope }) => scope,
  channel: ({ channel }) => channel,
  language: ({ language }) => language,
  cancelledAt: ({ cancelled_at }) => cancelled_at?.toISOString() ?? null,
  donorErasedAt: ({ sealed_at }) => sealed_at?.toISOString() ?? null,
  keptUntil: ({ keep_until }) => keep_until,
  textVersion: ({ version }) => version,
  text: ({ text }) => text,
  benefitValue: ({ benefit_value: value, currency }) =>
    value === null ? null : new ExactNumber(toDecimalString(value, currencyExponent(currency))),
  benefitText: ({ benefit_text }) => benefit_text,
} satisfies Record<string, (row: ClaimableRow, timezone: string) => CsvCell>;

/** Sends the donations with Gift Aid and their declarations as CSV. The only place that shows sealed declarations. */
@Injectable()
export class GiftAidExport {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
  ) {}

  async csv(caller: Principal, { from, to }: GiftAidExportQuery, response: Response): Promise<void> {
    await this.audit.record(actorOf(caller), 'gift_aid.export', null, {});
    const { timezone } = await this.settings.effective({});
    const limits = [from, to].map((text) => (text === undefined ? null : (parseInstant(text) ?? null)));
    await sendDownload(response, {
      fileName: `gift-aid-${localDay(new Date(), timezone)}.csv`,
      contentType: 'text/csv; charset=utf-8; header=present',
      body: this.slots.hold(this.file(limits, timezone)),
    });
  }

  private async *file(
    limits: readonly (Date | null)[],
    timezone: string,
  ): AsyncGenerator<Buffer, void, undefined> {
    yield Buffer.from(BOM + csvRecord(Object.keys(COLUMNS)));
    for (let after: string | undefined = FIRST; after !== undefined;) {
      const rows: ClaimableRow[] = await this.database.query<ClaimableRow>(CLAIMABLE, [
        after,
        PAGE,
        ...limits,
      ]);
      const records = rows.map((row) => csvRecord(Object.values(COLUMNS).map((cell) => cell(row, timezone))));
      if (records.length > 0) yield Buffer.from(records.join(''));
      after = rows.length < PAGE ? undefined : rows.at(-1)?.covered_id;
    }
  }
}
