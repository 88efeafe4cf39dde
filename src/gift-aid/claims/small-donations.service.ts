import { Injectable } from '@nestjs/common';
import { toJsonAmount } from '../../common/money/money.js';
import { localDay } from '../../common/text/local-time.js';
import { startOfDay } from '../../common/text/start-of-day.js';
import { Database } from '../../data/database.js';
import { SettingsService } from '../../settings/settings.service.js';
import { NOT_KNOWN, type SmallDonationsDto } from '../dto/small-donations.dto.js';
import { taxOn } from './claim-schedule.js';
import {
  CLAIMED_SUM,
  type CollectionRow,
  COLLECTIONS,
  SMALL_SUMS,
  type SmallSumRow,
} from './small-donations.sql.js';

/** £8,000 in a tax year (gov.uk, “Claiming a top-up payment on small charitable donations”). */
const MOST = 800_000n;
/** The small donations of a tax year are at most ten times its claimed Gift Aid donations. */
const TIMES_GIFT_AID = 10n;

/** Sums the small donations without a declaration of a tax year (Gift Aid Small Donations Scheme). */
@Injectable()
export class SmallDonations {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  async of(taxYear: number): Promise<SmallDonationsDto> {
    const { timezone } = await this.settings.effective({});
    const [from, to] = [`${taxYear}-04-06`, `${taxYear + 1}-04-05`];
    const limits = [startOfDay(from, timezone), startOfDay(to, timezone, 1)];
    const [sums, collections, [claimed]] = await Promise.all([
      this.database.query<SmallSumRow>(SMALL_SUMS, limits),
      this.database.query<CollectionRow>(COLLECTIONS, limits),
      this.database.query<{ amount: bigint }>(CLAIMED_SUM, [from, to]),
    ]);
    const sumOf = (type: SmallSumRow['type']) => {
      const sum = sums.find((one) => one.type === type);
      return { donations: sum?.donations ?? 0, amount: toJsonAmount(sum?.amount ?? 0n) };
    };
    const giftAid = claimed?.amount ?? 0n;
    const limit = smaller(MOST, giftAid * TIMES_GIFT_AID);
    const amount = smaller(
      limit,
      sums.reduce((sum, one) => sum + one.amount, 0n),
    );
    return {
      from,
      to,
      cash: sumOf('cash'),
      cardTerminal: sumOf('card_terminal'),
      giftAidDonations: toJsonAmount(giftAid),
      limit: toJsonAmount(limit),
      amount: toJsonAmount(amount),
      tax: toJsonAmount(taxOn(amount)),
      collections: collections.map((row) => ({
        shiftId: row.shift_id,
        eventName: row.event_name,
        date: localDay(row.opened_at, timezone),
        cash: toJsonAmount(row.amount),
        countedBy: row.is_counted ? [row.staff_name, row.signed_by_name].filter((name) => name !== null) : [],
      })),
      notKnown: NOT_KNOWN,
    };
  }
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
