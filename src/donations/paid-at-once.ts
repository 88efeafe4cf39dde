import { Injectable } from '@nestjs/common';
import { newId } from '../common/ids.js';
import { Database, type Statement } from '../data/database.js';
import { Mailer } from '../mail/mailer.service.js';
import { OutboxSignal } from '../outbox/outbox-signal.js';
import { anyShard } from '../totals/totals.js';
import { DonationChanges } from './donation-changes.js';
import { HOLD_PAYMENT } from './donations.sql.js';
import { paidAtOnce } from './paid-at-once.sql.js';

/** What a provider says of a payment that succeeded; amounts in minor units. */
export interface Success {
  readonly provider: string;
  readonly paymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly captureId: string | null;
  readonly paidAt: Date;
  readonly fee: { readonly amount: bigint; readonly currency: string } | null;
  /** Of the provider as the actor of the history. */
  readonly actorId: string;
}

/** What the caller knows of payments and writes beside the donation, as parts of the statement. */
export interface Beside {
  /** Of the statement. */
  readonly name: string;
  /** A condition on the donation `asked` that rules it out; `$1` is the provider, `$2` the payment. */
  readonly unless: string;
  /**
   * An INSERT for what there is in `open`, which returns the donation's id as `id`, or nothing when it was made before.
   * `$11` is the actor's id, `$14` what it needs besides, a text.
   */
  readonly claim: string;
}

/**
 * The success that nearly every payment has, in one round trip to the database: of an open donation, over what was
 * asked, with nothing else known of the payment.
 */
@Injectable()
export class PaidAtOnce {
  private readonly statements = new Map<Beside, Statement>();

  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly signal: OutboxSignal,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Books a success, or changes nothing: then somebody has to look at the donation before.
   * @param forClaim what its claim needs besides
   * @returns the donation's id; undefined when nothing was booked
   */
  async book(beside: Beside, success: Success, forClaim: string): Promise<string | undefined> {
    const move = this.changes.successMove();
    if (!move) return undefined;
    const { provider, paymentId, amount, currency, captureId, paidAt, fee, actorId } = success;
    const { isOn: hasMail } = this.mailer;
    const [booked] = await this.database.together([
      { statement: HOLD_PAYMENT, values: [provider, paymentId] },
      {
        statement: this.statementOf(beside, hasMail),
        values: [
          ...[provider, paymentId, amount, currency, captureId, paidAt, fee?.amount ?? null],
          ...[fee?.currency ?? null, move.from, move.to, actorId, newId(), anyShard(), forClaim],
          ...(hasMail ? [newId()] : []),
        ],
      },
    ]);
    const [id, eventId, isMailed] = booked ?? [];
    if (!id || !eventId) return undefined;
    this.signal.raise(eventId);
    if (isMailed === 't') this.mailer.wake();
    return id;
  }

  private statementOf(beside: Beside, hasMail: boolean): Statement {
    const known = this.statements.get(beside) ?? paidAtOnce(beside, hasMail);
    this.statements.set(beside, known);
    return known;
  }
}
