import { Injectable } from '@nestjs/common';
import { to as copyTo } from 'pg-copy-streams';
import { Database } from '../data/database.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { crlfPieces } from '../documents/csv/crlf-pieces.js';
import { donationsCopy } from './donations-csv.sql.js';
import type { PeopleWords } from './exported-donations.sql.js';

/** Size of a piece. An error before the end of the first piece still gives an error response. */
const PIECE = 64 * 1024;

/** Streams donations as CSV from the database at the client's speed. */
@Injectable()
export class DonationsCsv {
  constructor(private readonly database: Database) {}

  /**
   * Yields the file in pieces: UTF-8 with a byte order mark, one header record, CRLF. The file uses a database connection until
   * its end. A piece is valid until the caller asks for the next one.
   * @param hasDonors false omits the columns about donors from the file for machines
   */
  async *file(
    condition: DonationCondition,
    people?: PeopleWords,
    hasDonors = true,
  ): AsyncGenerator<Buffer, void, undefined> {
    const client = await this.database.connectForStream('donations-export');
    try {
      const rows = client.query(copyTo(donationsCopy(condition, people, hasDonors))) as AsyncIterable<Buffer>;
      yield* crlfPieces(rows, PIECE);
    } finally {
      // Closing the connection also ends an unfinished COPY.
      await client.end();
    }
  }
}
