import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { newId } from '../../common/crypto/ids.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import { Mailer } from '../../mail/mailer.service.js';
import { type DonationTopic, Outbox } from '../../outbox/outbox.js';
import { raiseReviewItem } from '../../review/review-items.js';
import { type Counted, moveTotals } from '../../totals/totals.js';
import {
  columnsWhere,
  DONATION_COLUMNS,
  type DonationField,
  type DonationRow,
  type NamedColumns,
  type NewDonation,
} from '../store/donation-columns.js';
import {
  type Beginning,
  type Cause,
  COUNTED,
  decide,
  type DonationState,
  type LifecycleFact,
  moveBy,
  STATE_TABLE,
  type StateTable,
} from './donation-lifecycle.js';
import {
  ATTACH_PAYMENT,
  type HistoryAndOutbox,
  INSERT,
  insertValues,
  MARK_CHECKED,
  MOVE_DECLARATION,
  NOTE,
  POSTPONE_CHECK,
  SCHEDULE_CHECK,
  SET_RECEIPT_NUMBERS,
  SETTLED_CHECKS,
  UPDATE,
  updateValues,
} from '../store/donations.sql.js';
import { causeJson, type HistoryCause, textOfCause } from './history-cause.js';
import { isOpenedByDonor } from '../store/donation-store.js';
import { newDonation } from '../recording/new-donation.js';

/** True if two column values are equal; compares dates and bytes by content. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return one.equals(other);
  return isDeepStrictEqual(one, other);
}

const ANNOUNCED = columnsWhere(({ announced }) => announced);

/**
 * Returns the outbox topics of a change. The first completion has the topic `donation.created`, a later change of a field that
 * walls show has `donation.updated`, a card that a second person shows has `donation.shown`, and a donation that leaves the
 * totals has `donation.retracted`.
 * Other changes have no topic.
 */
export function topicsOf(before: DonationRow | undefined, after: DonationRow): DonationTopic[] {
  const completes = after.completed_at !== null && (before?.completed_at ?? null) === null;
  const topics: DonationTopic[] = completes ? ['donation.created'] : [];
  if (after.status !== COUNTED)
    return before?.status === COUNTED || completes ? [...topics, 'donation.retracted'] : [];
  if (before?.wall_state === 'held' && after.wall_state === 'visible') return [...topics, 'donation.shown'];
  const shown = before === undefined || ANNOUNCED.some((column) => !sameValue(before[column], after[column]));
  return completes || !shown ? topics : ['donation.updated'];
}

/** Injection token of the state table in use. */
export const STATES = Symbol('state table of donations');
export const STATES_PROVIDER = { provide: STATES, useValue: STATE_TABLE };

/** A change of a donation, with its actor and reason. */
export interface DonationChange {
  /** `edited` changes columns only, not the state or amounts. */
  readonly fact: LifecycleFact | { readonly kind: 'edited' };
  /** Additional columns to write if the state table accepts the fact. */
  readonly columns?: NamedColumns;
  readonly actor: Actor;
  /** Cause of the change. Without a typed reason, the history also keeps it as text. */
  readonly cause?: HistoryCause | undefined;
  /** The reason that a person typed. */
  readonly reason?: string | null;
  /**
   * True if the receipt is sent although the donation is already completed, because the donor has just
   * entered an e-mail address.
   */
  readonly sendsReceipt?: boolean;
}

/** Facts that may change a donation without changing its status. */
const STAYS: ReadonlySet<DonationChange['fact']['kind']> = new Set(['edited', 'returned', 'grown']);
const CHANGEABLE = columnsWhere(({ changes }) => changes !== 'never' && changes !== 'apart');
const OF_DONOR = columnsWhere(({ changes }) => changes === 'by donor');

/**
 * All writes of donations use this class. It checks each change against the state table. It writes the row, history, outbox,
 * e-mail and totals in the caller's transaction: all of them or none. The caller must hold the row lock.
 */
@Injectable()
export class DonationChanges {
  constructor(
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
    @Inject(STATES) private readonly table: StateTable,
  ) {}

  /** The row of a new donation, for callers that use their own INSERT statement. */
  draft(given: NewDonation, beginning: Beginning): DonationRow {
    return newDonation(given, beginning, this.table);
  }

  /** Writes a new donation in its initial state. */
  begin(
    tx: Transaction,
    given: NewDonation,
    beginning: Beginning,
    change: Pick<DonationChange, 'actor' | 'cause' | 'reason'>,
  ): DonationRow {
    const { actor } = change;
    const row = this.draft(given, beginning);
    const steps = [{ from: null, to: row.status }];
    tx.write(
      INSERT,
      insertValues(row, { steps, actor, ...told(change), fields: [], messages: messagesOf(undefined, row) }),
      1,
    );
    this.follow(tx, undefined, row, { actor });
    return row;
  }

  /** True if the state table allows this cause in the donation's current state. */
  allows(donation: DonationRow, cause: Cause): boolean {
    return moveBy(stateOf(donation), cause, this.table) !== undefined;
  }

  /**
   * Applies a change to a locked donation.
   * @returns the changed row; undefined if the state table refuses the fact or the change has no effect
   * @throws Error at the commit if the row's status is no longer `before.status`; the row lock prevents this case
   */
  apply(tx: Transaction, before: DonationRow, change: DonationChange): DonationRow | undefined {
    const { fact, actor } = change;
    const { reason, cause } = told(change);
    const { path, next } =
      fact.kind === 'edited'
        ? { path: [], next: stateOf(before) }
        : decide(stateOf(before), fact, this.table);
    // If the state table refuses the fact, nothing is written, and the additional columns are not written either. Facts in
    // `STAYS` may change a donation without a new status.
    if (path.length === 0 && !STAYS.has(fact.kind)) return undefined;
    const now = new Date();
    const wanted: DonationRow = {
      ...before,
      ...change.columns,
      status: next.status,
      amount: next.amount,
      refunded_amount: next.refunded,
      completed_at: before.completed_at ?? (path.includes(COUNTED) ? now : null),
    };
    if (CHANGEABLE.every((column) => sameValue(before[column], wanted[column]))) return undefined;
    const after = { ...wanted, updated_at: now };
    const fields = changedDonorFields(before, after);
    const steps = path.map((to, index) => ({ from: path[index - 1] ?? before.status, to }));
    // A change without a reason and without changed donor fields gets no history entry, for example a new payment id.
    if (path.length === 0 && (reason !== null || fields.length > 0))
      steps.push({ from: before.status, to: before.status });
    const messages = messagesOf(before, after);
    tx.write(
      UPDATE,
      updateValues(after, before.status, { steps, actor, reason, cause, fields, messages }),
      1,
    );
    if (after.gift_aid && !sameValue(before.donor_key, after.donor_key))
      tx.write(MOVE_DECLARATION, [after.id, after.donor_key]);
    this.follow(tx, before, after, change);
    return after;
  }

  /** Adds a history entry without changing the row. */
  note(
    tx: Transaction,
    donation: Pick<DonationRow, 'id' | 'status'>,
    change: Pick<DonationChange, 'actor' | 'cause' | 'reason'>,
  ): void {
    const { kind, id } = change.actor;
    const { reason, cause } = told(change);
    tx.write(NOTE, [newId(), donation.id, donation.status, kind, id, reason, causeJson(cause)]);
  }

  /** Stores the payment id of a donation that has no payment id yet. Needs no lock. */
  async attachPayment(db: SqlExecutor, donationId: string, paymentId: string): Promise<void> {
    await db.query(ATTACH_PAYMENT, [donationId, paymentId]);
  }

  /** Records that the provider was just asked about this donation. */
  async markChecked(db: SqlExecutor, donationId: string): Promise<void> {
    await db.query(MARK_CHECKED, [donationId]);
  }

  /**
   * Sets the time of the next check of a paid donation. If the provider answered, this is the next time in `SETTLED_CHECKS`.
   * Without an answer, the check is repeated soon.
   */
  async scheduleCheck(db: SqlExecutor, donationId: string, answered: boolean): Promise<void> {
    if (answered) await db.query(SCHEDULE_CHECK, [donationId, SETTLED_CHECKS]);
    else await db.query(POSTPONE_CHECK, [donationId]);
  }

  /** Writes receipt numbers to their donations. The caller must hold the row locks. */
  async setReceiptNumbers(tx: Transaction, numbers: ReadonlyMap<string, string | null>): Promise<void> {
    if (numbers.size > 0) await tx.query(SET_RECEIPT_NUMBERS, [[...numbers.keys()], [...numbers.values()]]);
  }

  /** Queues the receipt e-mail and updates the totals after a write. */
  private follow(
    tx: Transaction,
    before: DonationRow | undefined,
    after: DonationRow,
    { actor, sendsReceipt = false }: Pick<DonationChange, 'actor' | 'sendsReceipt'>,
  ): void {
    this.outbox.raiseAfter(tx, after.event_id);
    // Only donors who used a donation page get this e-mail, because the preference of other donors is unknown.
    const completes = topicsOf(before, after).includes('donation.created');
    const isDue = completes || (sendsReceipt && after.status === COUNTED);
    if (isDue && isOpenedByDonor(after) && after.donor_email !== null)
      this.mailer.enqueueReceipt(tx, after.id);
    moveTotals(tx, after.id, countedOf(before), countedOf(after), () =>
      handleTotalOutOfRange(tx, after, actor),
    );
  }
}

/**
 * Returns the outbox messages of a change: one for each topic of the donation and, if the status changed, one for the pledge
 * round.
 */
export function messagesOf(
  before: DonationRow | undefined,
  after: DonationRow,
): HistoryAndOutbox['messages'] {
  const messages: HistoryAndOutbox['messages'] = topicsOf(before, after).map((topic) => ({
    topic,
    roundId: null,
  }));
  return after.round_id !== null && after.status !== before?.status
    ? [...messages, { topic: 'pledge.round', roundId: after.round_id }]
    : messages;
}

/**
 * Handles a total above its limit. Refuses a manual record. Books a payment that a provider reports, because the money has
 * arrived, and opens a review item.
 */
async function handleTotalOutOfRange(
  tx: Transaction,
  { id, event_id, currency }: DonationRow,
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'provider') throw totalOutOfRange(currency);
  const subject = `${event_id}:${currency}`;
  await raiseReviewItem(tx, { kind: 'total_out_of_range', subject, donationId: id, detail: { currency } });
}

export const totalOutOfRange = (currency: string): ConflictError =>
  new ConflictError('TOTAL_OUT_OF_RANGE', `The event's total in ${currency} would exceed the maximum`);

/** The texts of a history entry. The cause is also kept as text, because clients of version 1.0 read only the reason. */
const told = ({ cause, reason = null }: Pick<DonationChange, 'cause' | 'reason'>) => ({
  reason: reason ?? (cause ? textOfCause(cause) : null),
  cause: cause ?? null,
});

/** API names of the donor fields that differ. */
export const changedDonorFields = (before: DonationRow, after: DonationRow): DonationField[] =>
  OF_DONOR.filter((column) => !sameValue(before[column], after[column])).flatMap(
    (column) => DONATION_COLUMNS[column].field ?? [],
  );

function stateOf(row: DonationRow): DonationState {
  return {
    status: row.status,
    paid: row.paid_at !== null || row.completed_at !== null,
    amount: row.amount,
    refunded: row.refunded_amount,
  };
}

/** The donation's contribution to the totals; undefined if the totals do not include the donation. */
export const countedOf = (row: DonationRow | undefined): Counted | undefined =>
  row?.status === COUNTED
    ? {
        event_id: row.event_id,
        currency: row.currency,
        net: row.amount - row.refunded_amount,
        donor_key: row.donor_key,
      }
    : undefined;
