// This code runs on the export thread; see `DonationsSheet`.
import { setImmediate } from 'node:timers/promises';
import { type SheetRow, workbookOf, type WorkbookLook } from '../documents/spreadsheet/workbook.js';
import { streamed } from '../documents/thread/streamed.js';

const LF = 0x0a;

/** Packs lines of JSON arrays as an XLSX workbook. A line may continue in the next batch. */
export const packSheet = streamed<WorkbookLook, Uint8Array, never>(async function* (look, { batches }) {
  yield* workbookOf(look, rowsOf(batches));
});

async function* rowsOf(batches: AsyncIterable<Uint8Array>): AsyncGenerator<SheetRow, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const batch of batches) {
    const bytes = Buffer.concat([rest, batch]);
    const end = bytes.lastIndexOf(LF);
    rest = bytes.subarray(end + 1);
    if (end < 0) continue;
    const lines = bytes.toString('utf8', 0, end).split('\n');
    for (const line of lines) yield JSON.parse(line) as SheetRow;
    // A batch takes milliseconds. Other tasks of the thread can run after each batch.
    await setImmediate();
  }
}
