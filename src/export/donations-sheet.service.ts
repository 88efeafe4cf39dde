import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import type { WorkbookLook } from '../documents/spreadsheet/workbook.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadStream } from '../documents/thread/thread-messages.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { copyBatches } from './copy-batches.js';
import { sheetColumns, sheetCopy } from './donations-sheet.sql.js';
import type { PeopleWords } from './exported-donations.sql.js';

const PACK: ThreadStream<WorkbookLook, Uint8Array, never> = {
  file: threadFile('export/donations-sheet-file.js'),
  name: 'packSheet',
};

/** Streams donations as an XLSX workbook. The export thread writes and packs it, at the client's speed. */
@Injectable()
export class DonationsSheet {
  constructor(
    private readonly database: Database,
    private readonly thread: ExportThread,
  ) {}

  /** Yields the file in pieces. A piece is valid until the caller asks for the next one. Uses a database connection until the end. */
  file(
    condition: DonationCondition,
    people: PeopleWords,
    isRightToLeft: boolean,
  ): AsyncGenerator<Buffer, void, undefined> {
    const look = {
      name: people.wording.sheet,
      columns: sheetColumns(people),
      isRightToLeft,
      createdAt: new Date(),
    };
    return this.thread.stream(PACK, look, {
      batches: this.rows(sheetCopy(condition, people)),
      onNote: () => undefined,
    });
  }

  private async *rows(statement: string): AsyncGenerator<Uint8Array, void, undefined> {
    const client = await this.database.connectForStream('donations-export');
    try {
      yield* copyBatches(client, statement);
    } finally {
      // Closing the connection also ends an unfinished COPY.
      await client.end();
    }
  }
}
