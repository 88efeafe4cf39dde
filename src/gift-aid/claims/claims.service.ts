import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { isId, newId } from '../../common/crypto/ids.js';
import { ConflictError, NotFoundError, RefusedFieldsError } from '../../common/errors/domain-errors.js';
import { startOfDay } from '../../common/text/start-of-day.js';
import { GIFT_AID_CLAIMS_LOCK, transactionLock } from '../../data/advisory-locks.js';
import { Database, type Transaction } from '../../data/database.js';
import { sendDownload } from '../../documents/http/send-download.js';
import { SettingsService } from '../../settings/settings.service.js';
import {
  type ClaimCandidatesDto,
  type ClaimDto,
  type ClaimPeriodDto,
  type ClaimPreviewDto,
  type ClaimsDto,
  type NewClaimDto,
  toAdjustment,
  toCandidate,
  toClaim,
  toPreview,
} from '../dto/claim.dto.js';
import { scheduleFile, type ScheduleRow, taxOn } from './claim-schedule.js';
import {
  ADJUSTMENTS,
  type AdjustmentRow,
  type CandidateRow,
  CANDIDATES,
  CLAIM_BY_ID,
  CLAIM_ROWS,
  type ClaimedRow,
  type ClaimRow,
  CLAIMS,
  INSERT_ADJUSTMENTS,
  INSERT_CLAIM,
  INSERT_CLAIMED,
  PENDING_ADJUSTMENTS,
  PREVIEW,
  type PreviewRow,
  ROWS_OF_CLAIM,
} from './claims.sql.js';

/** Claims of Gift Aid: frozen lists of donations with the schedule for HM Revenue and Customs. */
@Injectable()
export class GiftAidClaims {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
  ) {}

  /** The claim that `create` would make. */
  async preview(period: ClaimPeriodDto): Promise<ClaimPreviewDto> {
    const [row] = await this.database.query<PreviewRow>(PREVIEW, [...(await this.limitsOf(period)), []]);
    return toPreview(row as PreviewRow);
  }

  /** The donations of the claim that `create` would make. */
  async candidates(period: ClaimPeriodDto): Promise<ClaimCandidatesDto> {
    const values = [...(await this.limitsOf(period)), []];
    return { data: (await this.database.query<CandidateRow>(CANDIDATES, values)).map(toCandidate) };
  }

  /**
   * Freezes the eligible donations of a period, oldest first and at most 1,000, with the adjustments of earlier claims.
   * A donation that is left out stays free for a later claim.
   * @throws RefusedFieldsError for a last day before the first, and for a donation that the claim would not contain;
   * ConflictError `GIFT_AID_NOTHING_TO_CLAIM`
   */
  async create(caller: Principal, { leftOut = [], ...period }: NewClaimDto): Promise<ClaimDto> {
    const limits = await this.limitsOf(period);
    const without = new Map(leftOut.map(({ donationId, reason }) => [donationId.toLowerCase(), reason]));
    const actor = actorOf(caller);
    return await this.database.transaction(async (tx) => {
      // Claims are made one after another, so that numbers have no gaps and an adjustment is in one claim.
      await tx.query(transactionLock(GIFT_AID_CLAIMS_LOCK));
      if (without.size > 0) await assertCandidates(tx, limits, [...without.keys()]);
      const claimed = await tx.query<ClaimedRow>(CLAIM_ROWS, [...limits, [...without.keys()]]);
      if (claimed.length === 0)
        throw new ConflictError(
          'GIFT_AID_NOTHING_TO_CLAIM',
          'No donation of this period is eligible for Gift Aid and in no claim yet',
        );
      const adjustments = await tx.query<AdjustmentRow>(PENDING_ADJUSTMENTS);
      const [id, createdAt] = [newId(), new Date()];
      const [amount, adjusted] = [sumOf(claimed), sumOf(adjustments)];
      const overclaimed = taxOn(adjusted);
      const { digest } = await scheduleFile({ rows: claimed.map(readRow), overclaimed, createdAt });
      tx.write(
        INSERT_CLAIM,
        [
          id,
          period.from,
          period.to,
          claimed.length,
          amount,
          adjusted,
          digest,
          actor.kind,
          actor.id,
          createdAt,
        ],
        1,
      );
      await freeze(tx, id, claimed, adjustments);
      const detail = {
        rows: claimed.length,
        amount: Number(amount),
        currency: 'gbp',
        from: period.from,
        to: period.to,
      };
      await this.audit.record(actor, 'gift_aid.claim', id, detail, tx);
      const [claim] = await tx.query<ClaimRow>(CLAIM_BY_ID, [id]);
      for (const [donationId, leftOutReason] of without) {
        const kept = { leftOutReason, claim: claim?.number };
        await this.audit.record(actor, 'gift_aid.leave_out', donationId, kept, tx);
      }
      return toClaim(
        claim as ClaimRow,
        adjustments.map((row) => ({ ...row, claim_id: id })),
      );
    });
  }

  async list(): Promise<ClaimsDto> {
    const [claims, adjustments, pending] = await Promise.all([
      this.database.query<ClaimRow>(CLAIMS),
      this.database.query<AdjustmentRow>(ADJUSTMENTS),
      this.database.query<AdjustmentRow>(PENDING_ADJUSTMENTS),
    ]);
    return { data: claims.map((claim) => toClaim(claim, adjustments)), pending: pending.map(toAdjustment) };
  }

  /**
   * Sends the schedule of a claim, with the same bytes each time.
   * @throws NotFoundError `GIFT_AID_CLAIM_NOT_FOUND`; ConflictError `GIFT_AID_CLAIM_EXPIRED` after declarations were deleted
   */
  async schedule(caller: Principal, id: string, response: Response): Promise<void> {
    const [claim] = isId(id) ? await this.database.query<ClaimRow>(CLAIM_BY_ID, [id]) : [];
    if (!claim) throw new NotFoundError('GIFT_AID_CLAIM_NOT_FOUND', 'There is no such Gift Aid claim');
    const rows = await this.database.query<ClaimedRow>(ROWS_OF_CLAIM, [id]);
    const { bytes, digest } = await scheduleFile({
      rows: rows.map(readRow),
      overclaimed: taxOn(claim.adjusted_amount),
      createdAt: claim.created_at,
    });
    if (!digest.equals(claim.digest))
      throw new ConflictError(
        'GIFT_AID_CLAIM_EXPIRED',
        'The schedule of this claim cannot be made any more, because its declarations were deleted after their legal period',
      );
    await this.audit.record(actorOf(caller), 'gift_aid.schedule', id, {});
    await sendDownload(response, {
      fileName: `gift-aid-claim-${claim.number}.ods`,
      contentType: 'application/vnd.oasis.opendocument.spreadsheet',
      body: once(bytes),
    });
  }

  /** Time zone, start and end of a period. */
  private async limitsOf({ from, to }: ClaimPeriodDto): Promise<[string, Date, Date]> {
    if (to < from)
      throw new RefusedFieldsError([{ field: 'to', rule: 'other', message: 'to must not be before from' }]);
    const { timezone } = await this.settings.effective({});
    return [timezone, startOfDay(from, timezone), startOfDay(to, timezone, 1)];
  }
}

/** @throws RefusedFieldsError if the claim of the period would not contain one of the donations */
async function assertCandidates(
  tx: Transaction,
  limits: readonly unknown[],
  donationIds: readonly string[],
): Promise<void> {
  const rows = await tx.query<CandidateRow>(CANDIDATES, [...limits, []]);
  const known = new Set(rows.map(({ donation_id: id }) => id));
  const wrong = donationIds.find((id) => !known.has(id));
  if (wrong === undefined) return;
  const message = `leftOut contains ${wrong}, which the claim would not contain`;
  throw new RefusedFieldsError([{ field: 'leftOut', rule: 'other', message }]);
}

async function freeze(
  tx: Transaction,
  id: string,
  claimed: readonly ClaimedRow[],
  adjustments: readonly AdjustmentRow[],
): Promise<void> {
  await tx.query(INSERT_CLAIMED, [
    id,
    claimed.map(({ donation_id }) => donation_id),
    claimed.map(({ declaration_id }) => declaration_id),
    claimed.map(({ given_on }) => given_on),
    claimed.map(({ amount }) => amount),
  ]);
  await tx.query(INSERT_ADJUSTMENTS, [
    id,
    adjustments.map(({ donation_id }) => donation_id),
    adjustments.map(({ amount }) => amount),
  ]);
}

const sumOf = (rows: readonly { readonly amount: bigint }[]): bigint =>
  rows.reduce((sum, { amount }) => sum + amount, 0n);

const NO_ADDRESS = { line1: '', line2: null, postcode: null, city: '', country: 'GB' };

/** The row of a schedule. A row without its declaration is empty, and the digest of the file then differs. */
const readRow = ({ first_name, last_name, address, given_on, amount }: ClaimedRow): ScheduleRow => ({
  firstName: first_name ?? '',
  lastName: last_name ?? '',
  address: address ?? NO_ADDRESS,
  givenOn: given_on,
  amount,
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield await Promise.resolve(bytes);
}
