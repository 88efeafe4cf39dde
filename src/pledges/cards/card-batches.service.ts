import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal, reachesEvent } from '../../common/access/principal.js';
import { isId, newId } from '../../common/crypto/ids.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../common/errors/domain-errors.js';
import { toJsonAmount } from '../../common/money/money.js';
import { Database, type SqlExecutor, type Transaction } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../../events/event-record.js';
import { isPublicStatus } from '../../events/event-status.js';
import { EmailsService } from '../../mail/emails.service.js';
import { Mailer } from '../../mail/mailer.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import {
  type CardBatchDto,
  type CardBatchList,
  type ReadyPledgeList,
  type StartCardCharges,
  toBatch,
  toReadyPledge,
} from '../dto/card-charge.dto.js';
import {
  ADD_CHARGES,
  BATCH_BY_ID,
  type BatchRow,
  BATCHES_OF_EVENT,
  CARDS_OF_BATCH,
  CONFIRM_BATCH,
  type CountedState,
  READY_PLEDGES,
  type ReadyRow,
  SET_NOTICES,
  START_BATCH,
  STATES_OF_BATCHES,
  STOP_BATCH,
  STOP_CHARGES_OF_BATCH,
} from './card-charges.sql.js';
import { cardsOff, GuestCards } from './guest-cards.service.js';

const MOST_LISTED = 500;

/**
 * Batches of charges. A batch first announces the charges to the guests; each card is charged a day after its notice. An event has
 * one open batch at most, so two admins start the same one (decision 89).
 */
@Injectable()
export class CardBatches {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly cards: GuestCards,
    private readonly mailer: Mailer,
    private readonly emails: EmailsService,
    private readonly audit: Audit,
  ) {}

  /** Lists the open pledges of guests with a saved card. Changes nothing. */
  async ready(caller: Principal, ref: string): Promise<ReadyPledgeList> {
    const event = await this.eventOf(caller, ref);
    const rows = await this.rows(this.database, event);
    const { pledges, total } = sumOf(rows);
    const isBlocked = (row: ReadyRow) => row.obstacle !== null;
    return {
      pledges,
      total: toJsonAmount(total),
      currency: event.currency,
      needsSecondAdmin: await this.needsSecond(event, total),
      data: [...rows.filter(isBlocked), ...rows.filter((row) => !isBlocked(row))]
        .slice(0, MOST_LISTED)
        .map(toReadyPledge),
    };
  }

  /** The newest batches of an event with their states. */
  async list(caller: Principal, ref: string): Promise<CardBatchList> {
    const event = await this.eventOf(caller, ref);
    const rows = await this.database.query<BatchRow>(BATCHES_OF_EVENT, [event.id]);
    return { data: await this.shown(rows) };
  }

  /**
   * Starts a batch with all ready pledges, and queues the notices. If the event has an open batch, returns that one.
   * @throws ConflictError `CARD_CHARGES_CHANGED` if other pledges are ready than the caller has seen, `NO_READY_PLEDGES`,
   *   `EVENT_TAKES_NO_DONATIONS`; UnavailableError `MAIL_OFF`, `PAYMENT_METHOD_OFF`
   */
  async start(caller: Principal, sent: StartCardCharges): Promise<CardBatchDto> {
    const event = await this.eventOf(caller, sent.eventId);
    this.emails.assertOn();
    if (!this.cards.taker()) cardsOff();
    if (!isPublicStatus(event.status))
      throw new ConflictError('EVENT_TAKES_NO_DONATIONS', `The event is ${event.status}`);
    const needsSecond = await this.needsSecond(event, BigInt(sent.total));
    const batch = await this.database.transaction(async (tx) => {
      const actor = actorOf(caller);
      const [started] = await tx.query<BatchRow>(START_BATCH, [
        newId(),
        event.id,
        needsSecond ? 'waiting' : 'announced',
        sent.pledges,
        sent.total,
        event.currency,
        actor.id,
      ]);
      if (!started) return undefined;
      const ready = (await this.rows(tx, event)).filter(({ obstacle }) => obstacle === null);
      if (ready.length === 0) throw new ConflictError('NO_READY_PLEDGES', 'No pledge can be charged');
      const { pledges, total } = sumOf(ready);
      const added = await tx.query(ADD_CHARGES, [
        started.id,
        ready.map(({ id }) => id),
        ready.map(({ card_id }) => card_id),
        ready.map(({ amount }) => amount),
        event.currency,
      ]);
      if (pledges !== sent.pledges || total !== BigInt(sent.total) || added.length !== pledges)
        throw new ConflictError(
          'CARD_CHARGES_CHANGED',
          'The ready pledges have changed; read them again before you start',
        );
      if (started.state === 'announced') await this.announce(tx, started);
      await this.audit.record(actor, 'card_batch.start', started.id, figures(started), tx);
      return started;
    });
    const open = batch ?? (await this.openOf(event));
    if (!open)
      throw new ConflictError(
        'CARD_CHARGES_CHANGED',
        'The open batch has just ended; read the ready pledges again',
      );
    return await this.one(open);
  }

  /**
   * Confirms a batch that waits for a second admin, and queues the notices. A repeat changes nothing.
   * @throws NotFoundError `CARD_BATCH_NOT_FOUND`; ConflictError `SECOND_ADMIN_NEEDED`
   */
  async confirm(caller: Principal, id: string): Promise<CardBatchDto> {
    await this.batchOf(caller, id);
    this.emails.assertOn();
    const actor = actorOf(caller);
    await this.database.transaction(async (tx) => {
      const [confirmed] = await tx.query<BatchRow>(CONFIRM_BATCH, [id, actor.id]);
      if (!confirmed) return;
      await this.announce(tx, confirmed);
      await this.audit.record(actor, 'card_batch.confirm', id, figures(confirmed), tx);
    });
    const batch = await this.batchOf(caller, id);
    if (batch.state === 'waiting')
      throw new ConflictError('SECOND_ADMIN_NEEDED', 'Another admin must confirm these charges');
    return await this.one(batch);
  }

  /**
   * Stops a batch: cards that were not charged yet are not charged. A charge without an answer still gets its answer. A repeat
   * changes nothing.
   * @throws NotFoundError `CARD_BATCH_NOT_FOUND`
   */
  async stop(caller: Principal, id: string): Promise<CardBatchDto> {
    await this.batchOf(caller, id);
    await this.database.transaction(async (tx) => {
      const [stopped] = await tx.query<BatchRow>(STOP_BATCH, [id]);
      if (!stopped) return;
      await tx.query(STOP_CHARGES_OF_BATCH, [id]);
      await this.audit.record(actorOf(caller), 'card_batch.stop', id, figures(stopped), tx);
    });
    return await this.one(await this.batchOf(caller, id));
  }

  /** Reads the ready pledges. The limit of a guest covers the oldest pledges, and a pledge above it gets its reason. */
  private async rows(db: SqlExecutor, event: EventRecord): Promise<ReadyRow[]> {
    const rows = await db.query<ReadyRow>(READY_PLEDGES, [event.id]);
    const taker = this.cards.taker();
    const used = new Map<string, bigint>();
    return rows.map((row) => {
      if (row.obstacle !== null) return row;
      if (taker && !takes(taker.provider, row)) return { ...row, obstacle: 'amount' as const };
      const sum = (used.get(row.card_id) ?? row.charged) + row.amount;
      if (sum > row.limit_amount) return { ...row, obstacle: 'limit' as const };
      used.set(row.card_id, sum);
      return row;
    });
  }

  private async announce(tx: Transaction, batch: BatchRow): Promise<void> {
    const cards = await tx.query<{ card_id: string; pledge_id: string }>(CARDS_OF_BATCH, [batch.id]);
    const notices = cards.map(({ card_id: cardId, pledge_id: pledgeId }) => ({
      id: newId(),
      subject: `${batch.id}:${cardId}`,
      cardId,
      pledgeId,
    }));
    await this.mailer.enqueueChargeNotices(tx, notices);
    const ids = notices.map(({ id }) => id);
    await tx.query(SET_NOTICES, [batch.id, notices.map(({ cardId }) => cardId), ids]);
  }

  private async needsSecond({ overrides }: EventRecord, total: bigint): Promise<boolean> {
    const { secondAdmin, confirmAbove } = (await this.settings.effective(overrides)).ready;
    return secondAdmin && total > BigInt(confirmAbove);
  }

  private async openOf({ id }: EventRecord): Promise<BatchRow | undefined> {
    const rows = await this.database.query<BatchRow>(BATCHES_OF_EVENT, [id]);
    return rows.find(({ state }) => state === 'waiting' || state === 'announced');
  }

  private async one(row: BatchRow): Promise<CardBatchDto> {
    const [batch] = await this.shown([row]);
    if (!batch) throw new Error('A batch must be shown');
    return batch;
  }

  private async shown(rows: readonly BatchRow[]): Promise<CardBatchDto[]> {
    const states = await this.database.query<CountedState>(STATES_OF_BATCHES, [rows.map(({ id }) => id)]);
    return rows.map((row) =>
      toBatch(
        row,
        states.filter(({ batch_id }) => batch_id === row.id),
      ),
    );
  }

  private async batchOf(caller: Principal, id: string): Promise<BatchRow> {
    const [row] = isId(id) ? await this.database.query<BatchRow>(BATCH_BY_ID, [id]) : [];
    if (!row || !reachesEvent(caller, row.event_id))
      throw new NotFoundError('CARD_BATCH_NOT_FOUND', 'There is no such batch of charges');
    return row;
  }

  private async eventOf(caller: Principal, ref: string): Promise<EventRecord> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event;
  }
}

function sumOf(rows: readonly ReadyRow[]): { pledges: number; total: bigint } {
  const ready = rows.filter(({ obstacle }) => obstacle === null);
  return { pledges: ready.length, total: ready.reduce((sum, { amount }) => sum + amount, 0n) };
}

const figures = ({ pledges, total, currency }: BatchRow) => ({
  pledges,
  amount: toJsonAmount(total),
  currency,
});

function takes(
  provider: { assertTakes(amount: bigint, currency: string): void },
  { amount, currency }: ReadyRow,
): boolean {
  try {
    provider.assertTakes(amount, currency);
    return true;
  } catch (error) {
    if (error instanceof InvalidInputError) return false;
    throw error;
  }
}
