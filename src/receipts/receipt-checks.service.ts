import { Injectable } from '@nestjs/common';
import { NotFoundError, TooManyRequestsError } from '../common/errors/domain-errors.js';
import { clientAddress } from '../common/http/client-address.js';
import { toJsonAmount } from '../common/money/money.js';
import { Database } from '../data/database.js';
import { givenAt } from '../donations/recording/given-at.js';
import { Counters } from '../redis/counters.js';
import { SettingsService } from '../settings/settings.service.js';
import { readCheckCode } from './check-code.js';
import type { CheckedReceiptDto } from './dto/checked-receipt.dto.js';
import { receiptNumber } from './receipt-content.js';
import {
  type CheckedCollectiveRow,
  type CheckedRow,
  COLLECTIVE_BY_CHECK_CODE,
  RECEIPT_BY_CHECK_CODE,
} from './receipts.sql.js';

/** Number of checks that one address may make in a minute. An office checks a pile of receipts one after the other. */
const CHECKS_A_MINUTE = 30;

/** Checks receipts by the code that is printed on them. */
@Injectable()
export class ReceiptChecks {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly counters: Counters,
  ) {}

  /**
   * Returns the state of a receipt.
   * @param typed the code, as printed or typed
   * @throws TooManyRequestsError after 30 checks in a minute; NotFoundError `RECEIPT_NOT_FOUND`
   */
  async check(typed: string, ip: string | undefined): Promise<CheckedReceiptDto> {
    const key = `rate:receipt-check:${clientAddress(ip)}`;
    const { allowed, resetSeconds } = await this.counters.hit(key, CHECKS_A_MINUTE, 60);
    if (!allowed) throw new TooManyRequestsError(resetSeconds);
    const code = readCheckCode(typed);
    const [row] =
      code === undefined ? [] : await this.database.query<CheckedRow>(RECEIPT_BY_CHECK_CODE, [code]);
    if (!row) return await this.collective(code);
    const { organization, legal } = await this.settings.effective(row.overrides);
    const amount = row.printed_amount ?? row.amount;
    return {
      ...stateOf(row),
      number: receiptNumber(row.year, row.number),
      issuedAt: row.issued_at.toISOString(),
      givenAt: givenAt(row).toISOString(),
      period: null,
      amount: toJsonAmount(amount),
      refundedAmount: toJsonAmount(row.refunded_amount < amount ? row.refunded_amount : amount),
      currency: row.currency,
      organization: legal.legalName || organization,
      taxId: legal.taxId,
    };
  }

  private async collective(code: string | undefined): Promise<CheckedReceiptDto> {
    const [row] =
      code === undefined
        ? []
        : await this.database.query<CheckedCollectiveRow>(COLLECTIVE_BY_CHECK_CODE, [code]);
    if (!row) throw new NotFoundError('RECEIPT_NOT_FOUND', 'There is no receipt with this code');
    const { organization, legal } = await this.settings.effective({});
    const { total, remaining } = row;
    return {
      ...stateOfCollective(row),
      number: receiptNumber(row.year, row.number),
      issuedAt: row.issued_at.toISOString(),
      givenAt: null,
      period: { from: row.from_day, to: row.to_day },
      amount: toJsonAmount(total),
      refundedAmount: toJsonAmount(remaining < total ? total - remaining : 0n),
      currency: row.currency,
      organization: legal.legalName || organization,
      taxId: legal.taxId,
    };
  }
}

function stateOfCollective(row: CheckedCollectiveRow): Pick<CheckedReceiptDto, 'state' | 'reason' | 'since'> {
  if (row.replaced_at) return { state: 'replaced', reason: null, since: row.replaced_at.toISOString() };
  if (row.remaining > 0n) return { state: 'valid', reason: null, since: null };
  const reason = row.was_refunded ? 'refunded' : 'cancelled';
  return { state: 'void', reason, since: row.ended_at?.toISOString() ?? null };
}

function stateOf(row: CheckedRow): Pick<CheckedReceiptDto, 'state' | 'reason' | 'since'> {
  if (row.replaced_at) return { state: 'replaced', reason: null, since: row.replaced_at.toISOString() };
  if (row.status === 'COMPLETED') return { state: 'valid', reason: null, since: null };
  const reason = row.status === 'REFUNDED' ? 'refunded' : 'cancelled';
  return { state: 'void', reason, since: row.status_since?.toISOString() ?? null };
}
