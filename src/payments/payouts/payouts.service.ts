import { Injectable } from '@nestjs/common';
import { parseInstant } from '../../common/validation/field.decorators.js';
import { Database, type SqlExecutor, type Statement } from '../../data/database.js';
import type { PayoutDto, PayoutsDto, PayoutsQuery, PayoutsUnknownDto } from './dto/payouts.dto.js';
import {
  PAYOUT_ITEMS,
  PAYOUT_PROBLEMS,
  PAYOUT_SUMS,
  PAYOUTS_BETWEEN,
  PAYOUTS_OF_EVENT,
} from './payouts.sql.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { toJsonAmount } from '../../common/money/money.js';

const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_PAYOUTS = 400;
const MOST_ITEMS = 500;

interface PayoutRow {
  readonly provider: string;
  readonly payoutId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: string;
  readonly arrivesAt: Date;
  readonly createdAt: Date;
  readonly isItemized: boolean;
}

interface PartOfPayout {
  readonly provider: string;
  readonly payoutId: string;
  readonly kind: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly eventId: string | null;
}

type SumRow = PartOfPayout & { readonly count: number };

type ItemRow = PartOfPayout & {
  readonly itemId: string;
  readonly at: Date;
  readonly paymentId: string | null;
  readonly donationId: string | null;
};

/** The payouts of the providers, as of the last reading. */
@Injectable()
export class Payouts {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
  ) {}

  async between({ from, to }: PayoutsQuery): Promise<PayoutsDto> {
    const since = parseInstant(from ?? '') ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS);
    const until = parseInstant(to ?? '') ?? new Date('9999-12-31T00:00:00Z');
    return await this.database.snapshot(async (db) => ({
      data: await payouts(db, PAYOUTS_BETWEEN, [since, until, MOST_PAYOUTS]),
      unknown: await this.unknown(db),
    }));
  }

  /** Returns the payouts that contain money of the event. */
  async ofEvent(db: SqlExecutor, eventId: string): Promise<PayoutsDto> {
    return { data: await payouts(db, PAYOUTS_OF_EVENT, [eventId]), unknown: await this.unknown(db) };
  }

  private async unknown(db: SqlExecutor): Promise<PayoutsUnknownDto[]> {
    const rows = await db.query<{ provider: string; readAt: Date | null; problem: string | null }>(
      PAYOUT_PROBLEMS,
    );
    return this.providers.all.flatMap((provider) => {
      const known = rows.find((row) => row.provider === provider.name);
      const unread = known === undefined || known.readAt === null;
      const reason = !provider.payouts ? 'not_told' : unread ? 'not_read_yet' : known.problem;
      return reason === null ? [] : [{ provider: provider.name, reason }];
    });
  }
}

async function payouts(db: SqlExecutor, statement: Statement, values: unknown[]): Promise<PayoutDto[]> {
  const rows = await db.query<PayoutRow>(statement, values);
  if (rows.length === 0) return [];
  const wanted = [rows.map(({ provider }) => provider), rows.map(({ payoutId }) => payoutId)];
  const sums = await db.query<SumRow>(PAYOUT_SUMS, wanted);
  const items = await db.query<ItemRow>(PAYOUT_ITEMS, [...wanted, MOST_ITEMS]);
  return rows.map((payout) => {
    const isOfIt = (part: PartOfPayout) =>
      part.provider === payout.provider && part.payoutId === payout.payoutId;
    return toPayout(payout, sums.filter(isOfIt), items.filter(isOfIt));
  });
}

function toPayout(payout: PayoutRow, sums: readonly SumRow[], items: readonly ItemRow[]): PayoutDto {
  const known = sums.reduce((sum, { net }) => sum + net, 0n);
  return {
    provider: payout.provider,
    payoutId: payout.payoutId,
    amount: toJsonAmount(payout.amount),
    currency: payout.currency,
    status: payout.status,
    arrivesAt: payout.arrivesAt.toISOString(),
    createdAt: payout.createdAt.toISOString(),
    isItemized: payout.isItemized,
    difference: payout.isItemized ? toJsonAmount(payout.amount - known) : null,
    sums: sums.map((sum) => ({ kind: sum.kind, eventId: sum.eventId, count: sum.count, ...moneyOf(sum) })),
    items: items.map((item) => ({
      itemId: item.itemId,
      kind: item.kind,
      ...moneyOf(item),
      at: item.at.toISOString(),
      paymentId: item.paymentId,
      donationId: item.donationId,
      eventId: item.eventId,
    })),
  };
}

const moneyOf = ({ amount, fee, net }: PartOfPayout) => ({
  amount: toJsonAmount(amount),
  fee: toJsonAmount(fee),
  net: toJsonAmount(net),
});
