import { Injectable, Logger } from '@nestjs/common';
import { sqlStateOf } from '../../common/errors/sql-state.js';
import { newId } from '../../common/crypto/ids.js';
import { MicroBatcher } from '../../common/concurrency/concurrency.js';
import { Database, type Statement } from '../../data/database.js';
import { Mailer } from '../../mail/mailer.service.js';
import { OutboxRelay } from '../../outbox/outbox-relay.js';
import { nextShard } from '../../totals/totals.js';
import { DonationChanges } from '../lifecycle/donation-changes.js';
import { HOLD, HOLD_FREE, paidAtOnce, type SuccessInput } from './paid-at-once.sql.js';

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
  /** A condition that rules out one of `asked`, which has `id` of the donation, `provider` and `payment`. */
  readonly unless: string;
  /**
   * An INSERT for what there is in `open`, which returns the donation's id as `id`, or nothing when it was made before.
   * `open` is what is left of `asked`, with `actor` and `for_claim`.
   */
  readonly claim: string;
}

interface Waiting {
  readonly beside: Beside;
  readonly success: Success;
  readonly forClaim: string;
}

/** Booked: the donation's id. Passed: nothing was done. Busy: somebody else had the donation's lock. */
type Outcome = { readonly booked: string } | 'passed' | 'busy';

/** As many batches go at once; all successes of a payment are in one of them. */
const LANES = 4;

/**
 * The success that nearly every payment has, in one round trip to the database, with those that arrive meanwhile: of open
 * donations, over what was asked, with nothing else known of the payments.
 */
@Injectable()
export class PaidAtOnce {
  private readonly logger = new Logger(PaidAtOnce.name);
  private readonly statements = new Map<Beside, Statement>();
  private readonly batcher = new MicroBatcher<Waiting, Outcome>((batch) => this.bookBatch(batch), {
    maxBatch: 16,
    maxWaiting: 10_000,
    laneOf: ({ beside, success: { paymentId } }) =>
      `${beside.name} ${paymentId.charCodeAt(paymentId.length - 1) % LANES}`,
    maxRunning: LANES,
    patienceMs: 200,
  });

  /** Where the state table leads an open donation that is paid; undefined where that is more than one step. */
  private readonly move: ReturnType<DonationChanges['successMove']>;

  constructor(
    private readonly database: Database,
    changes: DonationChanges,
    private readonly relay: OutboxRelay,
    private readonly mailer: Mailer,
  ) {
    this.move = changes.successMove();
  }

  /**
   * Books a success, or changes nothing: then somebody has to look at the donation before.
   * @param forClaim what its claim needs besides
   * @returns the donation's id; undefined when nothing was booked
   */
  async book(beside: Beside, success: Success, forClaim: string): Promise<string | undefined> {
    const waiting = { beside, success, forClaim };
    let outcome = await this.batcher.add(waiting);
    // Whoever has the lock is waited for outside of the batches, where nobody else waits too.
    if (outcome === 'busy') [outcome = 'passed'] = await this.write(HOLD, [waiting]);
    return typeof outcome === 'string' ? undefined : outcome.booked;
  }

  /** Two successes of one payment are not written by one statement: the second is for whoever looks step by step. */
  private async bookBatch(batch: readonly Waiting[]): Promise<Outcome[]> {
    const paymentOf = ({ success }: Waiting) => `${success.provider} ${success.paymentId}`;
    const ours = uniqueBy(batch, paymentOf);
    const outcomes = await this.writeOrPass(ours);
    return batch.map((one) => outcomes[ours.indexOf(one)] ?? 'passed');
  }

  /** What the database refuses of several is looked at step by step: one of them must not fail its neighbours. */
  private async writeOrPass(batch: readonly Waiting[]): Promise<Outcome[]> {
    try {
      return await this.write(HOLD_FREE, batch);
    } catch (error) {
      if (batch.length === 1 || sqlStateOf(error) === undefined) throw error;
      this.logger.warn(`${batch.length} payments go step by step: ${String(error)}`);
      return batch.map(() => 'passed');
    }
  }

  private async write(hold: Statement, batch: readonly Waiting[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = batch.map(() => 'passed');
    const { move } = this;
    const [first] = batch;
    if (!move || !first) return outcomes;
    const { isOn: hasMail } = this.mailer;
    const input = JSON.stringify(batch.map(toInput));
    const rows = await this.database.together([
      { statement: hold, values: [input] },
      {
        statement: this.statementOf(first.beside, hasMail),
        values: [input, move.from, move.to, nextShard()],
      },
    ]);
    const events = new Set<string>();
    for (const [place, id, eventId, , isHeld] of rows)
      if (id && eventId) {
        outcomes[Number(place)] = { booked: id };
        events.add(eventId);
      } else if (isHeld !== 't') outcomes[Number(place)] = 'busy';
    if (events.size > 0) this.relay.raise(...events);
    if (rows.some(([, , , isMailed]) => isMailed === 't')) this.mailer.wake();
    return outcomes;
  }

  private statementOf(beside: Beside, hasMail: boolean): Statement {
    const known = this.statements.get(beside) ?? paidAtOnce(beside, hasMail);
    this.statements.set(beside, known);
    return known;
  }
}

/** The first of each key, in their order. */
function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const known = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    const isFirst = !known.has(key);
    known.add(key);
    return isFirst;
  });
}

const toInput = ({ success, forClaim }: Waiting, place: number): SuccessInput => ({
  place,
  provider: success.provider,
  payment: success.paymentId,
  amount: success.amount.toString(),
  currency: success.currency,
  capture: success.captureId ?? undefined,
  paid_at: success.paidAt,
  fee: success.fee?.amount.toString(),
  fee_currency: success.fee?.currency,
  actor: success.actorId,
  history_id: newId(),
  email_id: newId(),
  for_claim: forClaim,
});
