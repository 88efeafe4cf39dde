import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import { Mailer } from '../mail/mailer.service.js';
import { DUE_NOTICES } from './tributes.sql.js';

const BATCH = 100;

/**
 * Queues the e-mails about tributes, a minute after the donation is completed and its tribute may be shown. A donation has one row of
 * `email` with a unique key, so neither two processes nor a crash queue it twice (decision 93).
 */
@Injectable()
export class TributeSchedule {
  constructor(
    private readonly database: Database,
    private readonly mailer: Mailer,
  ) {}

  /** Returns the number of queued e-mails. */
  @Cron('10-59/20 * * * * *')
  async notify(): Promise<number> {
    if (!this.mailer.isOn) return 0;
    return (await withInstanceLock(this.database.pool, 'tribute-notices', () => this.queueDue())) ?? 0;
  }

  private async queueDue(): Promise<number> {
    const due = await this.database.query<{ id: string }>(DUE_NOTICES, [BATCH]);
    if (due.length === 0) return 0;
    return await this.database.transaction((tx) =>
      this.mailer.enqueueTributes(
        tx,
        due.map(({ id }) => id),
      ),
    );
  }
}
