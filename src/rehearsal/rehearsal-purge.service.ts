import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { SYSTEM } from '../common/access/principal.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { Database, type Transaction } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import {
  COUNT_DELETED,
  DELETED_SO_FAR,
  NEXT_DONATIONS,
  OF_DONATIONS,
  OF_EVENT,
  type Purging,
} from './purge.sql.js';
import { REHEARSALS, type RehearsalRow } from './rehearsal.sql.js';

type Deleted = Readonly<Record<string, number>>;

/**
 * Deletes the rows of ended rehearsals. Each batch commits together with the numbers of deleted rows, so another process can
 * continue after a crash.
 */
@Injectable()
export class RehearsalPurge {
  private readonly logger = new Logger(RehearsalPurge.name);

  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly changes: CommittedChanges,
  ) {}

  /** Continues the deletions that a stopped process left unfinished. */
  @Cron('* * * * *')
  async resume(): Promise<void> {
    const rehearsals = await this.database.query<RehearsalRow>(REHEARSALS);
    for (const { event_id, ended_at } of rehearsals) if (ended_at) await this.runOrLog(event_id);
  }

  async runOrLog(id: string): Promise<void> {
    try {
      await withInstanceLock(this.database.pool, `rehearsal ${id}`, () => this.run(id));
    } catch (error) {
      this.logger.error({
        msg: 'Rehearsal not deleted; the deletion continues within a minute',
        event: id,
        err: error,
      });
    }
  }

  private async run(id: string): Promise<void> {
    while (await this.database.transaction((tx) => this.deleteDonations(tx, id)));
    await this.database.transaction((tx) => this.deleteEvent(tx, id));
  }

  /** Returns false if there is nothing left to delete. */
  private async deleteDonations(tx: Transaction, id: string): Promise<boolean> {
    const [rehearsal] = await tx.query<{ deleted: Deleted }>(DELETED_SO_FAR, [id]);
    if (!rehearsal) return false;
    const donations = await tx.query<{ id: string }>(NEXT_DONATIONS, [id]);
    if (donations.length === 0) return false;
    const ids = donations.map((donation) => donation.id);
    const deleted = await deleteAll(tx, OF_DONATIONS, ids, rehearsal.deleted);
    await tx.query(COUNT_DELETED, [id, JSON.stringify(deleted)]);
    return true;
  }

  private async deleteEvent(tx: Transaction, id: string): Promise<void> {
    const [rehearsal] = await tx.query<{ deleted: Deleted }>(DELETED_SO_FAR, [id]);
    const found = (await tx.query<RehearsalRow>(REHEARSALS)).find(({ event_id }) => event_id === id);
    if (!rehearsal || !found) return;
    const rows = await deleteAll(tx, OF_EVENT, id, rehearsal.deleted);
    await this.audit.record(SYSTEM, 'rehearsal.delete', found.real_event_id, { deleted: rows }, tx);
    tx.afterCommit(() => {
      this.changes.announce(id);
      this.logger.log({ msg: 'Rehearsal deleted', event: id, rows });
    });
  }
}

/** Returns the numbers of deleted rows by table, added to the earlier numbers. */
async function deleteAll(
  tx: Transaction,
  purges: readonly Purging[],
  about: string | readonly string[],
  before: Deleted,
): Promise<Deleted> {
  const deleted: Record<string, number> = { ...before };
  for (const { table, statement } of purges) {
    const [row] = await tx.query<{ count: number }>(statement, [about]);
    if (row && row.count > 0) deleted[table] = (deleted[table] ?? 0) + row.count;
  }
  return deleted;
}
