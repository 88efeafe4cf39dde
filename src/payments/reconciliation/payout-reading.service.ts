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

/**
 * Reads the payouts of a provider once an hour. Once an hour is enough, because a payout follows its payments by
 * days.
 */
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
        // If the key has no permission to read the items of one payout, it cannot read the items of other payouts
        // either.
        if (permitted && isUnread) permitted = await this.readItems(provider, payout.payoutId);
      }
      await this.database.query(PAYOUTS_READ, [provider.name, permitted ? null : 'not_permitted']);
    });
  }

  /** Returns true if the items of the payout must still be read. */
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
    // The items of a payout never change.
    return payout.isItemized && kept?.isItemized !== true;
  }

  /** Returns false if the key has no permission to read the items. */
  private async readItems(provider: PaymentProvider, payoutId: string): Promise<boolean> {
    if (!provider.payoutItems) return true;
    const items = await provider.payoutItems(payoutId);
    if (items) await this.keepItems(provider.name, payoutId, items);
    return items !== undefined;
  }

  /** Stores all items or none, because an incomplete list would look like missing money. */
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
