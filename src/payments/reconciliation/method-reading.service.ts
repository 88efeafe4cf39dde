import { Injectable, Logger } from '@nestjs/common';
import { firstIdAt } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import { PaidMethods } from '../booking/paid-methods.service.js';
import { MissingRightError, ProviderRefusedError } from '../providers/provider-errors.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import {
  BEGIN_METHOD_READING,
  METHOD_READING,
  type MethodReadingRow,
  METHODS_READ_TO,
  OLD_PAYMENTS,
  type OldPaymentRow,
} from './method-reading.sql.js';
import type { ProviderRun } from './reconciliation-run.js';

/** Number of donations in one step. The progress is stored after each step. */
const STEP = 20;
/**
 * Maximum number of requests in one run, so that reconciliation does not use up the provider's limit. A run
 * takes place every minute.
 */
const PER_RUN = 60;
/** Maximum number of donations in one run, because even a step without requests takes some time. */
const ROWS_PER_RUN = 2_000;
const AT_ONCE = 4;

/**
 * Reads the payment methods of donations that were paid before this service stored methods, from new to old.
 * An interrupted reading continues after the last stored step. After an error, it continues in the next run.
 */
@Injectable()
export class MethodReading {
  private readonly logger = new Logger(MethodReading.name);

  constructor(
    private readonly database: Database,
    private readonly methods: PaidMethods,
  ) {}

  async read(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    if (!provider.readMethod) return;
    const reading = await this.begun(provider.name);
    if (reading.finished_at !== null) return;
    await run.guarded({ what: 'methods', id: provider.name }, () => this.steps(provider, reading.before_id));
  }

  private async begun(provider: string): Promise<MethodReadingRow> {
    const [found] = await this.database.query<MethodReadingRow>(METHOD_READING, [provider]);
    if (found) return found;
    const begun = { before_id: firstIdAt(new Date()), finished_at: null };
    await this.database.query(BEGIN_METHOD_READING, [provider, begun.before_id]);
    return begun;
  }

  private async steps(provider: PaymentProvider, from: string): Promise<void> {
    let before = from;
    let asked = 0;
    for (let rows = 0; rows < ROWS_PER_RUN && asked < PER_RUN; rows += STEP) {
      const payments = await this.database.query<OldPaymentRow>(OLD_PAYMENTS, [provider.name, before, STEP]);
      const unread = payments.filter((payment) => payment.is_unread);
      await this.each(unread, (payment) => this.readOne(provider, payment));
      asked += unread.length;
      before = payments.at(-1)?.id ?? before;
      const isEnd = payments.length < STEP;
      await this.database.query(METHODS_READ_TO, [provider.name, before, isEnd]);
      if (!isEnd) continue;
      this.logger.log({ msg: 'The payment methods of all old donations are read', provider: provider.name });
      return;
    }
  }

  /** Stops at the first error. Donations that were read before the error keep their method. */
  private async each(payments: readonly OldPaymentRow[], work: (payment: OldPaymentRow) => Promise<void>) {
    for (let first = 0; first < payments.length; first += AT_ONCE)
      await Promise.all(payments.slice(first, first + AT_ONCE).map(work));
  }

  private async readOne(
    provider: PaymentProvider,
    { id, payment_id: paymentId }: OldPaymentRow,
  ): Promise<void> {
    if (paymentId === null) return;
    try {
      await this.methods.read(provider, id, paymentId);
    } catch (error) {
      // The provider does not know this payment, perhaps because it belongs to an earlier account.
      if (error instanceof MissingRightError || !(error instanceof ProviderRefusedError)) throw error;
    }
  }
}
