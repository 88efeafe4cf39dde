import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { toJsonAmount } from '../common/money/money.js';
import { Database } from '../data/database.js';
import { type DonationDto, toDonation } from '../donations/dto/donation.dto.js';
import { RecordDonationDto } from '../donations/dto/record-donation.dto.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { RecordingService } from '../donations/recording/recording.service.js';
import type { DonationStatus } from '../donations/lifecycle/donation-lifecycle.js';
import type { DonationType } from '../donations/store/donation-columns.js';
import { assertDonationId, assertSeen, lockDonation } from '../donations/store/donation-store.js';
import type { MatchSettlementList, SettleByDonation } from './dto/match-settlement.dto.js';
import { poolOf } from './match-pools.service.js';
import { type PoolRow, SETTLEMENTS_OF_POOL } from './match.sql.js';

interface SettlementRow {
  readonly id: string;
  readonly amount: bigint;
  readonly refunded_amount: bigint;
  readonly type: DonationType;
  readonly status: DonationStatus;
  readonly received_at: Date;
}

/** Payments of matchers. Each is an ordinary donation that names the pool, so the totals count the money once. */
@Injectable()
export class MatchSettlements {
  constructor(
    private readonly database: Database,
    private readonly recording: RecordingService,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /** @throws NotFoundError `MATCH_POOL_NOT_FOUND` */
  async list(id: string): Promise<MatchSettlementList> {
    await poolOf(this.database, id);
    const rows = await this.database.query<SettlementRow>(SETTLEMENTS_OF_POOL, [id]);
    return {
      data: rows.map((row) => ({
        donationId: row.id,
        amount: toJsonAmount(row.amount),
        refundedAmount: toJsonAmount(row.refunded_amount),
        type: row.type,
        status: row.status,
        receivedAt: row.received_at.toISOString(),
      })),
    };
  }

  /**
   * Records a payment as a donation of the matcher, or counts an existing donation as one.
   * @throws RefusedFieldsError; ConflictError `MATCH_POOL_STATUS`, `MATCH_SETTLEMENT_BOUND`, `MATCH_SETTLEMENT_UNFIT`, and those
   * of a record
   */
  async add(
    caller: Principal,
    id: string,
    sent: SettleByDonation,
    key: string | undefined,
  ): Promise<DonationDto> {
    const pool = await poolOf(this.database, id);
    if (pool.status === 'draft' || pool.status === 'cancelled')
      throw new ConflictError('MATCH_POOL_STATUS', `A pool that is ${pool.status} takes no payments`);
    return sent.donationId === undefined
      ? await this.record(caller, pool, sent, key)
      : await this.bind(caller, pool, sent.donationId);
  }

  private async record(
    caller: Principal,
    pool: PoolRow,
    { type, amount, receivedAt, note, confirmed }: SettleByDonation,
    key: string | undefined,
  ): Promise<DonationDto> {
    const missing = [
      ...(type === undefined ? ['type'] : []),
      ...(amount === undefined ? ['amount'] : []),
    ].map((field) => ({
      field,
      rule: 'required' as const,
      message: `${field} is required without donationId`,
    }));
    if (type === undefined || amount === undefined) throw new RefusedFieldsError(missing);
    const record = Object.assign(new RecordDonationDto(), {
      eventId: pool.event_id,
      type,
      amount,
      donorName: pool.matcher_name,
      donorEmail: pool.matcher_email,
      isAnonymous: pool.is_matcher_anonymous,
      note: note ?? null,
      ...(receivedAt !== undefined && { recordedAt: receivedAt }),
      ...(confirmed !== undefined && { confirmed }),
    });
    const donation = await this.recording.record(caller, record, key, pool.id);
    const detail = { donation: donation.id, amount, currency: pool.currency };
    await this.audit.record(actorOf(caller), 'match_pool.settlement', pool.id, detail);
    return donation;
  }

  private async bind(caller: Principal, pool: PoolRow, donationId: string): Promise<DonationDto> {
    assertDonationId(donationId);
    const actor = actorOf(caller);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, donationId);
      assertSeen(caller, before);
      if (before.match_pool_id !== null)
        throw new ConflictError('MATCH_SETTLEMENT_BOUND', 'The donation already pays a match pool');
      const fits =
        before.event_id === pool.event_id &&
        before.currency === pool.currency &&
        before.status === 'COMPLETED';
      if (!fits)
        throw new ConflictError(
          'MATCH_SETTLEMENT_UNFIT',
          "Only a completed donation of the same event in the pool's currency can pay the pool",
        );
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'edited' },
        columns: { match_pool_id: pool.id },
        actor,
        cause: { kind: 'match_settlement' },
      });
      const amount = toJsonAmount(before.amount);
      const detail = { donation: donationId, amount, currency: pool.currency };
      await this.audit.record(actor, 'match_pool.bind', pool.id, detail, tx);
      return toDonation(after ?? before);
    });
  }
}
