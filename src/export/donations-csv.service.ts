import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { CopyOut } from '../documents/csv/copy-out.js';
import { BOM } from '../documents/csv/csv-text.js';
import { donationsCopy, type PeopleWords } from './donations-csv.sql.js';
import { RecordRoom } from '../documents/csv/record-room.js';

/** How much is sent at a time. Until the first rows are there, an error can still be an answer of its own. */
const PIECE = 64 * 1024;

/** Donations as CSV, streamed out of the database at the reader's pace. */
@Injectable()
export class DonationsCsv {
  constructor(private readonly database: Database) {}

  /**
   * The file: UTF-8 with a byte order mark, one header record, CRLF. Takes a connection until it ends. A piece is the caller's
   * until it asks for the next: its memory is used again.
   */
  async *file(condition: DonationCondition, people?: PeopleWords): AsyncGenerator<Buffer, void, undefined> {
    const client = await this.database.pool.connect();
    // The stream reports a broken connection; this listener only keeps it from ending the process.
    client.on('error', ignore);
    let complete = false;
    try {
      // A file takes as long as its reader.
      await client.query('SET statement_timeout = 0');
      const copy = client.query(new CopyOut(donationsCopy(condition, people)));
      yield* pieces(copy);
      await client.query('RESET statement_timeout');
      complete = true;
    } finally {
      client.off('error', ignore);
      // Half-way through a COPY a connection is good for nothing else; closing it ends the statement too.
      client.release(!complete);
    }
  }
}

async function* pieces(copy: CopyOut): AsyncGenerator<Buffer, void, undefined> {
  const room = new RecordRoom(PIECE);
  const mark = Buffer.from(BOM);
  room.fill(mark, 0, mark.length);
  while (await copy.more()) {
    while (copy.next()) {
      for (;;) {
        copy.from = room.fill(copy.chunk, copy.from, copy.to);
        if (copy.from === copy.to) break;
        yield room.take();
      }
    }
  }
  yield room.take();
}

const ignore = () => undefined;
