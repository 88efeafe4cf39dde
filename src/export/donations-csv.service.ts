import { Injectable } from '@nestjs/common';
import { to as copyTo } from 'pg-copy-streams';
import { Database } from '../data/database.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { BOM, CRLF } from '../documents/csv/csv-text.js';
import { donationsCopy, type PeopleWords } from './donations-csv.sql.js';

/** Size of a chunk. Until the first chunk is complete, an error still gives an error response. */
const PIECE = 64 * 1024;

/** Streams donations as CSV from the database at the client's speed. */
@Injectable()
export class DonationsCsv {
  constructor(private readonly database: Database) {}

  /** The file: UTF-8 with a byte order mark, one header record, CRLF. Uses a database connection until the end. */
  async *file(condition: DonationCondition, people?: PeopleWords): AsyncGenerator<Buffer, void, undefined> {
    const client = await this.database.connectForStream('donations-export');
    try {
      yield* pieces(client.query(copyTo(donationsCopy(condition, people))) as AsyncIterable<Buffer>);
    } finally {
      // Closing the connection also ends an unfinished COPY.
      await client.end();
    }
  }
}

/**
 * Rows in chunks of about `PIECE` bytes, the first with the byte order mark. COPY ends records with LF but RFC 4180
 * requires CRLF, so each LF without a CR gets one.
 */
async function* pieces(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [Buffer.from(BOM)];
  let bytes = 0;
  let endsInCr = false;
  const piece = () => {
    // Latin-1 keeps each byte as one character. In UTF-8, CR and LF bytes occur only as these characters.
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
