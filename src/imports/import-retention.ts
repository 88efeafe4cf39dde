import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, type Statement } from '../data/database.js';

/** Uploads are personal data, so they are deleted a day after the upload if they are not imported, and 30 days after an import. */
const DELETE_OLD: Statement = {
  name: 'table_imports_delete_old',
  text: `DELETE FROM table_import WHERE (status = 'uploaded' AND created_at < now() - interval '1 day')
    OR (status IN ('done', 'undone') AND created_at < now() - interval '30 days') RETURNING id`,
};

/** Deletes old imports with their stored rows. The imported guests stay. */
@Injectable()
export class ImportRetention {
  constructor(private readonly database: Database) {}

  /** Returns the number of deleted imports. */
  @Cron('47 * * * *')
  async delete(): Promise<number> {
    return (await this.database.query(DELETE_OLD, [])).length;
  }
}
