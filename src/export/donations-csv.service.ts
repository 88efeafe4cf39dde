import { Injectable } from '@nestjs/common';
import { to as copyTo } from 'pg-copy-streams';
import { Database } from '../data/database.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { BOM, CRLF } from '../documents/csv/csv-text.js';
import { donationsCopy, type PeopleWords } from './donations-csv.sql.js';

/** How much is sent at a time. Until the first rows are there, an error can still be an answer of its own. */
const PIECE = 64 * 1024;

/** Donations as CSV, streamed out of the database at the reader's pace. */
@Injectable()
export class DonationsCsv {
  constructor(private readonly database: Database) {}

  /** The file: UTF-8 with a byte order mark, one header record, CRLF. Takes a connection until it ends. */
  async *file(condition: DonationCondition, people?: PeopleWords): AsyncGenerator<Buffer, void, undefined> {
    const client = await this.database.connectForStream('donations-export');
    try {
      yield* pieces(client.query(copyTo(donationsCopy(condition, people))) as AsyncIterable<Buffer>);
    } finally {
      // Half-way through a COPY, too: closing it ends the statement.
      await client.end();
    }
  }
}

/**
 * Rows as pieces of about `PIECE` bytes, the first with the byte order mark. COPY ends records by LF alone, while RFC 4180 wants
 * CRLF: each LF without a CR before it gets one.
 */
async function* pieces(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [Buffer.from(BOM)];
  let bytes = 0;
  let endsInCr = false;
  const piece = () => {
    // Latin-1 keeps each byte as one character, and UTF-8 has CR and LF in no other character.
    const text = Buffer.concat(waiting).toString('latin1');
    const records = text.replace(endsInCr ? /(?<=[^\r])\n/g : /(?<!\r)\n/g, CRLF);
    endsInCr = text.endsWith('\r');
    waiting = [];
    bytes = 0;
    return Buffer.from(records, 'latin1');
  };
  for await (const row of rows) {
    waiting.push(row);
    bytes += row.length;
    if (bytes >= PIECE) yield piece();
  }
  yield piece();
}
