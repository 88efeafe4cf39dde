import { currencyExponent, toDecimalString } from '../../common/money/money.js';
import { BOM, type CsvCell, csvRecord, ExactNumber } from '../../documents/csv/csv-text.js';
import type { EventSummary } from './summary.service.js';
import { summaryTables, type Words } from './summary-tables.js';

const decimal = (amount: bigint, currency: string) =>
  new ExactNumber(toDecimalString(amount, currencyExponent(currency)));

/** Returns a summary as CSV: UTF-8 with a byte order mark, one record for each sum, amounts as decimal numbers. */
export function summaryCsv(summary: EventSummary, words: Words): Buffer {
  const { event, currencies, payouts } = summary;
  const { summary: own } = words;
  const records: CsvCell[][] = [
    [own.currency, own.section, own.name, own.count, own.received, own.returned, own.net],
  ];
  for (const block of currencies) {
    const { currency, donorCount, net } = block;
    const money = (amount: bigint | null) => (amount === null ? null : decimal(amount, currency));
    records.push([currency, own.total, event.name, donorCount, null, null, money(net)]);
    for (const { title, lines, columns } of summaryTables(block, summary, words))
      for (const line of lines) {
        const amounts = [line.amount, line.refunded, line.net].map(money);
        // The file has columns for received money only. Each other amount has a row of its own.
        if (columns)
          for (const [index, column] of columns.entries())
            records.push([
              currency,
              title,
              `${line.name}: ${column}`,
              null,
              null,
              null,
              amounts[index] ?? null,
            ]);
        else records.push([currency, title, line.name, line.count, ...amounts]);
      }
  }
  for (const { provider, payoutId, amount, currency, sums, arrivesAt } of payouts.data) {
    const name = `${provider} ${payoutId} ${arrivesAt.slice(0, 10)}`;
    const count = sums.reduce((sum, one) => sum + one.count, 0);
    records.push([currency, own.payouts, name, count, null, null, decimal(BigInt(amount), currency)]);
  }
  return Buffer.from(BOM + records.map(csvRecord).join(''));
}
