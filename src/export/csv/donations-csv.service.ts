import { Injectable } from '@nestjs/common';
import { to as copyTo } from 'pg-copy-streams';
import { Database } from '../../data/database.js';
import type { DonationCondition } from '../../donations/donation-condition.js';
import { BOM } from './csv-text.js';
import { donationsCopy, type PeopleWords } from './donations-csv.sql.js';
import { recordEnds } from './record-ends.js';

/** Donations as CSV, streamed out of the database at the reader's pace. */
@Injectable()
export class DonationsCsv {
  constructor(private readonly database: Database) {}

  /** The file: UTF-8 with a byte order mark, one header record, CRLF. Takes a connection until it ends. */
  async *file(condition: DonationCondition, people?: PeopleWords): AsyncGenerator<Buffer, void, undefined> {
    const client = await this.database.pool.connect();
    // The stream reports a broken connection; this listener only keeps it from ending the process.
    client.on('error', ignore);
    let complete = false;
    try {
      // A file takes as long as its reader.
      await client.query('SET statement_timeout = 0');
      const copy = client.query(copyTo(donationsCopy(condition, people), { highWaterMark: 128 * 1024 }));
      copy.on('error', ignore);
      const withCrlf = recordEnds();
      let head = BOM;
      for await (const chunk of copy as AsyncIterable<Buffer>) {
        // With the first rows and not before them: until then an error can still be an answer of its own.
        if (head !== '') yield Buffer.from(head);
        head = '';
        yield withCrlf(chunk);
      }
      await client.query('RESET statement_timeout');
      complete = true;
    } finally {
      client.off('error', ignore);
      // Half-way through a COPY a connection is good for nothing else; closing it ends the statement too.
      client.release(!complete);
    }
  }
}

const ignore = () => undefined;
