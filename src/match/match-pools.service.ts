import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { toJsonAmount } from '../common/money/money.js';
import { Database, type SqlExecutor, type Transaction } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { SettingsService } from '../settings/settings.service.js';
import {
  type CreateMatchPool,
  type DeletedMatchPool,
  type ListMatchDraws,
  type MatchDrawList,
  type MatchPoolDto,
  type MatchPoolList,
  toMatchPool,
  type UpdateMatchPool,
} from './dto/match-pool.dto.js';
import { reportOverpaid } from './match-follower.js';
import {
  DELETE_POOL,
  DRAWS_OF_POOL,
  HAS_DRAWS,
  INSERT_POOL,
  LOCK_POOL,
  OPEN_RATIOS,
  POOL_BY_ID,
  type PoolRow,
  POOLS_OF_EVENT,
  type PoolWithSums,
  SETTLED_OF,
  UPDATE_POOL,
  type WrittenPool,
  writtenValues,
} from './match.sql.js';
import { Outbox } from '../outbox/outbox.js';
import { owedOf } from './owed.js';
import { PoolClock } from './pool-clock.service.js';
import {
  changedColumns,
  NEW_POOL,
  refuseRunningChanges,
  refuseWrongPool,
  withChanges,
} from './pool-fields.js';
import { canMovePool, type PoolStatus } from './pool-status.js';

/** Several pools that together add more than this need a confirmation, in hundredths of a percent. */
const MOST_RATIOS = 30_000;
const DEFAULT_LIMIT = 50;

interface DrawListRow {
  readonly donation_id: string;
  readonly donation_amount: bigint;
  readonly amount: bigint;
  readonly kept: bigint;
  readonly base: bigint;
  readonly state: 'drawn' | 'kept' | 'released';
  readonly receipt_number: string | null;
  readonly given_at: Date;
  readonly changed_at: Date;
}

/** Match pools of events: the promises of matchers to add to donations. */
@Injectable()
export class MatchPools {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly keys: KeyRing,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
    private readonly clock: PoolClock,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async list(ref: string): Promise<MatchPoolList> {
    const { id } = await this.events.get(ref);
    return { data: (await this.database.query<PoolWithSums>(POOLS_OF_EVENT, [id])).map(toMatchPool) };
  }

  /** @throws NotFoundError `MATCH_POOL_NOT_FOUND` */
  async read(id: string): Promise<MatchPoolDto> {
    return toMatchPool(await poolOf(this.database, id));
  }

  /**
   * Creates a pool as a draft in the event's currency.
   * @throws RefusedFieldsError for fields that contradict each other or the event
   */
  async create(caller: Principal, sent: CreateMatchPool): Promise<MatchPoolDto> {
    const event = await this.events.get(sent.eventId);
    const id = newId();
    const pool = withChanges(NEW_POOL, sent, this.keys);
    refuseWrongPool(pool, event, sent.currency);
    const actor = actorOf(caller);
    return await this.database.transaction(async (tx) => {
      tx.write(INSERT_POOL, [id, event.id, actor.kind, actor.id, ...writtenValues(pool)], 1);
      const detail = { eventId: event.id, amount: toJsonAmount(pool.cap), currency: event.currency };
      await this.audit.record(actor, 'match_pool.create', id, detail, tx);
      return toMatchPool(await poolOf(tx, id));
    });
  }

  /**
   * Changes a pool. A draft and a scheduled pool may change in every field; an open or paused one only in name, logo, a later end,
   * a higher or still sufficient cap, priority, due day, and the name of the matcher.
   * @throws ConflictError `MATCH_POOL_CHANGED`, `MATCH_POOL_RUNNING`, `MATCH_POOL_OVER`
   */
  async update(caller: Principal, id: string, sent: UpdateMatchPool): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, before) => {
      if (before.version !== sent.version)
        throw new ConflictError('MATCH_POOL_CHANGED', 'Somebody has changed the pool; read it again');
      const event = await this.events.get(before.event_id);
      const after: WrittenPool = withChanges(before, sent, this.keys);
      const fields = changedColumns(before, after);
      if (fields.length === 0) return;
      refuseRunningChanges(before, after, fields);
      refuseWrongPool(after, event, undefined, before);
      tx.write(UPDATE_POOL, [id, ...writtenValues(after)], 1);
      this.outbox.append(tx, { eventId: before.event_id, topic: 'match.changed', subjectId: id });
      await this.audit.record(actorOf(caller), 'match_pool.update', id, { fields: [...fields] }, tx);
      const present = { ...before, ...after };
      await this.clock.advance(tx, [present]);
      await reportOverpaid(tx, [present]);
    });
  }

  /**
   * Opens a draft or a scheduled pool. A draft whose opening lies ahead becomes scheduled.
   * @throws ConflictError `MATCH_POOL_STATUS`; `MATCH_RATIOS_HIGH` without `confirmed`
   */
  async open(caller: Principal, id: string, confirmed = false): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, pool) => {
      const now = new Date();
      const waits = pool.status === 'draft' && pool.opens_at !== null && pool.opens_at > now;
      const to = waits ? 'scheduled' : 'open';
      if (pool.status === 'paused') throw wrongMove(pool.status, to);
      await this.start(tx, caller, pool, to, now, confirmed);
    });
  }

  /** @throws ConflictError `MATCH_POOL_STATUS`; `MATCH_RATIOS_HIGH` without `confirmed` */
  async resume(caller: Principal, id: string, confirmed = false): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, pool) => {
      if (pool.status !== 'paused') throw wrongMove(pool.status, 'open');
      await this.start(tx, caller, pool, 'open', new Date(), confirmed);
    });
  }

  /** @throws ConflictError `MATCH_POOL_STATUS` */
  async pause(caller: Principal, id: string): Promise<MatchPoolDto> {
    return await this.changing(id, (tx, pool) => this.move(tx, caller, pool, 'paused', 'match_pool.pause'));
  }

  /** @throws ConflictError `MATCH_POOL_STATUS` */
  async end(caller: Principal, id: string): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, pool) => {
      await this.move(tx, caller, pool, 'ended', 'match_pool.end');
      await reportOverpaid(tx, [{ ...pool, status: 'ended' }]);
    });
  }

  /**
   * Cancels a pool from which nothing was drawn or kept.
   * @throws ConflictError `MATCH_POOL_STATUS`, `MATCH_POOL_HAS_DRAWS`
   */
  async cancel(caller: Principal, id: string): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, pool) => {
      if (pool.drawn + pool.kept > 0n)
        throw new ConflictError(
          'MATCH_POOL_HAS_DRAWS',
          'Donations have drawn from this pool; end it instead',
        );
      await this.move(tx, caller, pool, 'cancelled', 'match_pool.cancel');
    });
  }

  /**
   * Closes the books of an ended pool. Without a note, the matcher must have paid everything, and nothing may be kept.
   * @throws ConflictError `MATCH_POOL_STATUS`; `MATCH_POOL_UNPAID`
   */
  async settle(caller: Principal, id: string, note: string | null): Promise<MatchPoolDto> {
    return await this.changing(id, async (tx, pool) => {
      const [sums] = await tx.query<{ settled: bigint }>(SETTLED_OF, [[id]]);
      if (note === null && ((sums?.settled ?? 0n) < owedOf(pool) || pool.kept > 0n))
        throw new ConflictError(
          'MATCH_POOL_UNPAID',
          'The matcher has not paid everything, or money is kept for pledges; send a note that says why the pool is settled',
        );
      await this.move(tx, caller, pool, 'settled', 'match_pool.settle', note);
    });
  }

  /**
   * Deletes a pool without draws and payments.
   * @throws ConflictError `MATCH_POOL_STATUS` for an open or paused pool; `MATCH_POOL_HAS_DRAWS`
   */
  async remove(caller: Principal, id: string): Promise<DeletedMatchPool> {
    await this.database.transaction(async (tx) => {
      const pool = await lockPool(tx, id);
      if ((await tx.query(HAS_DRAWS, [id])).length > 0)
        throw new ConflictError(
          'MATCH_POOL_HAS_DRAWS',
          'Donations or payments belong to this pool; cancel or end it instead',
        );
      if (pool.status === 'open' || pool.status === 'paused') throw wrongMove(pool.status, 'cancelled');
      tx.write(DELETE_POOL, [id], 1);
      this.outbox.append(tx, { eventId: pool.event_id, topic: 'match.changed', subjectId: id });
      await this.audit.record(actorOf(caller), 'match_pool.delete', id, {}, tx);
    });
    return { id, deleted: true };
  }

  async draws(id: string, { limit = DEFAULT_LIMIT, cursor }: ListMatchDraws): Promise<MatchDrawList> {
    await poolOf(this.database, id);
    const rows = await this.database.query<DrawListRow>(DRAWS_OF_POOL, [id, cursor ?? null, limit + 1]);
    const shown = rows.slice(0, limit);
    return {
      data: shown.map((row) => ({
        donationId: row.donation_id,
        donationAmount: toJsonAmount(row.donation_amount),
        base: toJsonAmount(row.base),
        amount: toJsonAmount(row.amount),
        kept: toJsonAmount(row.kept),
        state: row.state,
        receiptNumber: row.receipt_number,
        givenAt: row.given_at.toISOString(),
        changedAt: row.changed_at.toISOString(),
      })),
      nextCursor: rows.length > limit ? (shown.at(-1)?.donation_id ?? null) : null,
    };
  }

  private async start(
    tx: Transaction,
    caller: Principal,
    pool: PoolRow,
    to: 'scheduled' | 'open',
    now: Date,
    confirmed: boolean,
  ): Promise<void> {
    assertMove(pool.status, to);
    const event = await this.events.get(pool.event_id);
    const { live } = await this.settings.effective(event.overrides);
    const [open] = await tx.query<{ ratios: number }>(OPEN_RATIOS, [pool.event_id, pool.id]);
    if (live.match.mode === 'all' && !confirmed && (open?.ratios ?? 0) + pool.ratio > MOST_RATIOS)
      throw new ConflictError(
        'MATCH_RATIOS_HIGH',
        'The open pools of the event together add more than three times a donation; send "confirmed": true',
      );
    if (to === 'open' && pool.closes_at !== null && pool.closes_at <= now)
      throw new ConflictError('MATCH_POOL_OVER', 'The end of the pool has passed; choose a later end');
    this.clock.move(tx, pool, to, now);
    const action = to === 'scheduled' ? 'schedule' : pool.status === 'paused' ? 'resume' : 'open';
    await this.audit.record(actorOf(caller), `match_pool.${action}`, pool.id, {}, tx);
  }

  private async move(
    tx: Transaction,
    caller: Principal,
    pool: PoolRow,
    to: PoolStatus,
    action: 'match_pool.pause' | 'match_pool.end' | 'match_pool.cancel' | 'match_pool.settle',
    note: string | null = null,
  ): Promise<void> {
    assertMove(pool.status, to);
    this.clock.move(tx, pool, to, new Date(), { note });
    await this.audit.record(actorOf(caller), action, pool.id, {}, tx);
  }

  /** Runs a change of a locked pool whose status is up to date, and returns the pool. */
  private async changing(
    id: string,
    change: (tx: Transaction, pool: PoolRow) => Promise<void>,
  ): Promise<MatchPoolDto> {
    return await this.database.transaction(async (tx) => {
      const locked = await lockPool(tx, id);
      const [pool = locked] = await this.clock.advance(tx, [locked]);
      await change(tx, pool);
      return toMatchPool(await poolOf(tx, id));
    });
  }
}

/** @throws NotFoundError `MATCH_POOL_NOT_FOUND` */
export async function poolOf(db: SqlExecutor, id: string): Promise<PoolWithSums> {
  const [row] = isId(id) ? await db.query<PoolWithSums>(POOL_BY_ID, [id]) : [];
  if (!row) throw noSuchPool();
  return row;
}

export async function lockPool(tx: Transaction, id: string): Promise<PoolRow> {
  const [row] = isId(id) ? await tx.query<PoolRow>(LOCK_POOL, [id]) : [];
  if (!row) throw noSuchPool();
  return row;
}

const noSuchPool = () => new NotFoundError('MATCH_POOL_NOT_FOUND', 'There is no such match pool');

function assertMove(from: PoolStatus, to: PoolStatus): void {
  if (!canMovePool(from, to)) throw wrongMove(from, to);
}

const wrongMove = (from: PoolStatus, to: PoolStatus) =>
  new ConflictError('MATCH_POOL_STATUS', `A match pool cannot go from ${from} to ${to}`);
