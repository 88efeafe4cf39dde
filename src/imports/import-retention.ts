import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, type Statement } from '../data/database.js';

/**
 * Uploads contain personal data, so they are deleted: one day after the upload if they were not imported,
 * otherwise 30 days after the upload.
 */
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
