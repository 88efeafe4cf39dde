import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { Database, type Transaction } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import {
  ABANDON,
  CLAIM,
  type ClaimedEmail,
  DROP,
  GIVE_UP,
  MARK_COPY,
  MARK_SENT,
  POSTPONE,
  PRUNE,
  REHEARSAL_OF_DONATION,
  SETTLE_GONE,
  TRY_LATER,
} from './emails.sql.js';
import { MailComposers } from './content/mail-composers.js';
import { Mailer } from './mailer.service.js';
import { type SmtpFailure, smtpFailure, withoutAddresses } from './smtp-errors.js';
import { NoAddressError, Smtp } from './smtp.service.js';

/** Maximum number of e-mails that a process sends before another process can continue. */
const MOST_AT_ONCE = 500;

/**
 * Sends the queued e-mails one after the other. Only one process sends at a time. It claims an e-mail before sending and marks
 * the e-mail as sent afterwards. If the process ends in between, the claim expires. The e-mail is then sent again with the same
 * Message-ID (decision 41); an e-mail about a pledge or a tribute is given up instead (decisions 87 and 93).
 */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MailWorker.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private stopping = false;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly smtp: Smtp,
    private readonly composers: MailComposers,
    private readonly mailer: Mailer,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.mailer.isOn) return;
    this.mailer.onQueued(() => {
      this.look();
    });
    this.timer = setInterval(() => {
      this.look();
    }, this.config.mailTimes.lookMs);
    this.look();
  }

  /** Waits until the current e-mail is sent. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  private look(): void {
    this.again = true;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    while (this.again && !this.stopping) {
      this.again = false;
      try {
        await withInstanceLock(this.database.pool, 'mail', () => this.drain());
      } catch (error) {
        this.logger.warn({ msg: 'E-mail queue could not be read', err: error });
      }
    }
  }

  private async drain(): Promise<void> {
    await this.database.query(PRUNE);
    await this.database.query(SETTLE_GONE);
    await this.abandon();
    const lease = interval(this.config.mailTimes.leaseMs);
    for (let sent = 0; sent < MOST_AT_ONCE && !this.stopping; sent++) {
      const [row] = await this.database.query<ClaimedEmail>(CLAIM, [lease]);
      // If the mail server cannot be used, the worker stops and tries again when it next reads the queue.
      if (!row || !(await this.sendOne(row))) return;
    }
    this.again = true;
  }

  /** Gives up e-mails that must not arrive twice, if their process ended while it sent them. */
  private async abandon(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const rows = await tx.query<Pick<ClaimedEmail, 'id' | 'kind' | 'donation_id' | 'attempts'>>(ABANDON, [
        'The server stopped while it sent this e-mail. The e-mail may have arrived.',
      ]);
      for (const row of rows) await raiseFailed(tx, row, 'failed');
    });
  }

  /** @returns false if the mail server cannot be used */
  private async sendOne(row: ClaimedEmail): Promise<boolean> {
    let failure: SmtpFailure | undefined;
    try {
      const composed = await this.composers.compose(row);
      if (!composed) {
        await this.database.query(DROP, claimOf(row));
        await this.database.query(SETTLE_GONE);
        return true;
      }
      if ('postponedMs' in composed) {
        await this.database.query(POSTPONE, [...claimOf(row), interval(composed.postponedMs)]);
        return true;
      }
      if (await this.isHeldBack(row, composed.email.to)) {
        await this.database.query(GIVE_UP, [...claimOf(row), 'failed', 'Not sent: rehearsal']);
        return true;
      }
      if (composed.isCopy !== undefined && row.is_copy === null)
        await this.database.query(MARK_COPY, [...claimOf(row), composed.isCopy]);
      failure = await this.failureOf(() => this.smtp.send(composed.email, `${row.id}.${row.round}`));
    } catch (error) {
      this.logger.error({ msg: 'E-mail could not be composed', email: row.id, err: error });
      failure = { kind: 'later', says: 'The e-mail could not be composed. See the server log.' };
    }
    await (failure ? this.failed(row, failure) : this.sent(row));
    return failure?.kind !== 'away';
  }

  /** True for an e-mail of a rehearsal to an address outside its team. */
  private async isHeldBack({ donation_id }: ClaimedEmail, to: string): Promise<boolean> {
    if (donation_id === null) return false;
    const [rehearsal] = await this.database.query<{ mail_to: string[] }>(REHEARSAL_OF_DONATION, [
      donation_id,
    ]);
    return rehearsal !== undefined && !rehearsal.mail_to.includes(to.toLowerCase());
  }

  private async failureOf(send: () => Promise<void>): Promise<SmtpFailure | undefined> {
    try {
      await send();
      return undefined;
    } catch (error) {
      return error instanceof NoAddressError ? { kind: 'bounced', says: error.message } : smtpFailure(error);
    }
  }

  private async sent(row: ClaimedEmail): Promise<void> {
    await this.database.transaction(async (tx) => {
      const marked = await tx.query(MARK_SENT, claimOf(row));
      if (marked.length > 0) await settleReviewItem(tx, 'email_failed', `email:${row.id}`);
    });
    this.logger.log({ msg: 'E-mail sent', email: row.id, kind: row.kind, attempt: row.attempts });
  }

  private async failed(row: ClaimedEmail, { kind, says }: SmtpFailure): Promise<void> {
    const error = withoutAddresses(says);
    const { attempts: most } = this.config.mailTimes;
    const over = kind === 'bounced' || row.attempts >= most;
    this.logger.warn({ msg: 'E-mail not sent', email: row.id, attempt: row.attempts, kind, says: error });
    if (!over) {
      await this.database.query(TRY_LATER, [...claimOf(row), interval(this.retryMs(row.attempts)), error]);
      return;
    }
    const state = kind === 'bounced' ? 'bounced' : 'failed';
    await this.database.transaction(async (tx) => {
      const ended = await tx.query(GIVE_UP, [...claimOf(row), state, error]);
      if (ended.length > 0) await raiseFailed(tx, row, state);
    });
  }

  /**
   * Returns the delay before the next try. The delay doubles with each try. It has a random part, so that e-mails that failed
   * together are not retried together.
   */
  private retryMs(attempts: number): number {
    const { firstRetryMs, longestRetryMs } = this.config.mailTimes;
    return Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2);
  }
}

async function raiseFailed(
  tx: Transaction,
  row: Pick<ClaimedEmail, 'id' | 'kind' | 'donation_id' | 'attempts'>,
  state: 'bounced' | 'failed',
): Promise<void> {
  const subject = `email:${row.id}`;
  // A user may have resolved the item of an earlier failure. So the old item is closed first, and the new failure opens it
  // again.
  await settleReviewItem(tx, 'email_failed', subject);
  await raiseReviewItem(tx, {
    kind: 'email_failed',
    subject,
    donationId: row.donation_id,
    detail: { state, attempts: row.attempts, email: row.kind },
  });
}

const interval = (milliseconds: number): string => `${Math.round(milliseconds)} milliseconds`;

const claimOf = ({ id, claimed_until }: ClaimedEmail): [string, Date] => [id, claimed_until];
