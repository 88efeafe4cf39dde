import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SessionService } from '../auth/sessions/session.service.js';
import { Audit } from '../audit/audit.js';
import { type Actor, SYSTEM } from '../common/access/principal.js';
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
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { END, IDLE_DAYS, REHEARSALS, type RehearsalRow } from './rehearsal.sql.js';

const DAY_MS = 86_400_000;
const ENDING = 'rehearsal_ending';

type Deleted = Readonly<Record<string, number>>;

/**
 * Ends rehearsals, and deletes the rows of ended rehearsals. Each batch commits together with the numbers of deleted rows, so another process can
 * continue after a crash.
 */
@Injectable()
export class RehearsalEndings {
  private readonly logger = new Logger(RehearsalEndings.name);

  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly changes: CommittedChanges,
  ) {}

  /** Closes the rehearsal and ends the sign-ins of its team. `runOrLog` then deletes its rows. */
  async close({ event_id: id, real_event_id: realId }: RehearsalRow, actor: Actor): Promise<void> {
    await this.database.transaction(async (tx) => {
      const members = await tx.query<{ staff_id: string }>(END, [id]);
      await this.audit.record(actor, 'rehearsal.end', realId, {}, tx);
      tx.afterCommit(() => {
        this.changes.announce(id);
        for (const { staff_id } of members) this.sessions.revoked(`staff:${staff_id}`);
      });
    });
  }

  /** Ends rehearsals without use. A review item announces it the day before. */
  @Cron('29 * * * *')
  async endIdle(now = Date.now()): Promise<void> {
    for (const rehearsal of await this.database.query<RehearsalRow>(REHEARSALS)) {
      const idleDays = (now - rehearsal.last_used_at.getTime()) / DAY_MS;
      const subject = `event:${rehearsal.real_event_id}`;
      if (idleDays >= IDLE_DAYS && !rehearsal.ended_at) await this.close(rehearsal, SYSTEM);
      else if (idleDays >= IDLE_DAYS - 1)
        await raiseReviewItem(this.database, { kind: ENDING, subject, donationId: null, detail: {} });
      else await settleReviewItem(this.database, ENDING, subject);
    }
  }

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
    await settleReviewItem(tx, ENDING, `event:${found.real_event_id}`);
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
