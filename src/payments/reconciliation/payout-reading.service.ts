import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import type { PaymentProvider, Payout, PayoutItem } from '../providers/provider-port.js';
import {
  KEEP_PAYOUT,
  KEEP_PAYOUT_ITEMS,
  MARK_ITEMIZED,
  PAYOUTS_DUE,
  PAYOUTS_READ,
} from '../payouts/payouts.sql.js';
import type { ProviderRun } from './reconciliation-run.js';

/** Reads what providers pay out, once an hour: days lie between a payment and its payout. */
@Injectable()
export class PayoutReading {
  constructor(private readonly database: Database) {}

  async read(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    if (!provider.payouts) return;
    const [due] = await this.database.query<{ since: Date }>(PAYOUTS_DUE, [
      provider.name,
      run.options.byHand,
    ]);
    if (!due) return;
    await run.guarded({ what: 'payouts', id: provider.name }, async () => {
      const payouts = await provider.payouts?.(due.since);
      let permitted = payouts !== undefined;
      for (const payout of payouts ?? []) {
        const isUnread = await this.keep(provider, payout);
        // A key that may not see what is in one may not see it of any.
        if (permitted && isUnread) permitted = await this.readItems(provider, payout.payoutId);
      }
      await this.database.query(PAYOUTS_READ, [provider.name, permitted ? null : 'not_permitted']);
    });
  }

  /** Whether it is still to be read what is in it. */
  private async keep(provider: PaymentProvider, payout: Payout): Promise<boolean> {
    const [kept] = await this.database.query<{ isItemized: boolean }>(KEEP_PAYOUT, [
      provider.name,
      payout.payoutId,
      payout.amount,
      payout.currency,
      payout.status,
      payout.arrivesAt,
      payout.createdAt,
    ]);
    // What is in a payout never changes.
    return payout.isItemized && kept?.isItemized !== true;
  }

  /** Whether the key may ask. */
  private async readItems(provider: PaymentProvider, payoutId: string): Promise<boolean> {
    if (!provider.payoutItems) return true;
    const items = await provider.payoutItems(payoutId);
    if (items) await this.keepItems(provider.name, payoutId, items);
    return items !== undefined;
  }

  /** All of them or none: half a list would look like money that is missing. */
  private async keepItems(provider: string, payoutId: string, items: readonly PayoutItem[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(KEEP_PAYOUT_ITEMS, [
        provider,
        payoutId,
        items.map(({ itemId }) => itemId),
        items.map(({ kind }) => kind),
        items.map(({ amount }) => amount),
        items.map(({ fee }) => fee),
        items.map(({ net }) => net),
        items.map(({ currency }) => currency),
        items.map(({ paymentId }) => paymentId ?? null),
        items.map(({ at }) => at),
      ]);
      await tx.query(MARK_ITEMIZED, [provider, payoutId]);
    });
  }
}
