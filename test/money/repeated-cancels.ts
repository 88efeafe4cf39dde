import { sql } from '../support/fixtures.js';
import type { World } from './world.js';

interface KeyedCancel {
  readonly donationId: string;
  readonly body: { readonly shouldRefund: boolean; readonly amount?: number };
  readonly key: string;
  /** The refund in the first successful answer. Each repeat with the same key must return the same refund. */
  refundId?: string;
}

/** Refund requests with their keys, so that a test can repeat them as after a lost answer or a second click. */
export class RepeatedCancels {
  private readonly asked: KeyedCancel[] = [];

  constructor(private readonly world: World) {}

  async ask(donationId: string, body: KeyedCancel['body'], key: string): Promise<number> {
    const cancel: KeyedCancel = { donationId, body, key };
    this.asked.push(cancel);
    return await this.send(cancel);
  }

  /** Sends one of the requests twice at the same moment. */
  async again(index: number): Promise<void> {
    const cancel = this.asked[index % Math.max(1, this.asked.length)];
    if (cancel) await Promise.all([this.send(cancel), this.send(cancel)]);
  }

  /** Repeats every request that was answered. The answers must contain the same refunds, and no money may move. */
  async check(): Promise<void> {
    const answered = this.asked.filter(({ refundId }) => refundId !== undefined);
    const before = await this.moneyBack();
    for (const cancel of answered) {
      const status = await this.send(cancel);
      if (status !== 200) throw new Error(`a repeated refund was answered ${status}`);
    }
    const after = await this.moneyBack();
    if (before !== after) throw new Error(`a repeated request moved money: ${before} became ${after}`);
  }

  /** Deletes all keys. After a restored backup, a caller must not use them again. */
  forget(): void {
    this.asked.length = 0;
  }

  private async send(cancel: KeyedCancel): Promise<number> {
    const { status, body } = await this.world.cancel(cancel.donationId, cancel.body, cancel.key);
    const refund = body.refund as { id: string } | null | undefined;
    if (status === 200 && refund) {
      if (cancel.refundId !== undefined && cancel.refundId !== refund.id)
        throw new Error(`one key names the refunds ${cancel.refundId} and ${refund.id}`);
      cancel.refundId = refund.id;
    }
    return status;
  }

  private async moneyBack(): Promise<string> {
    const { stripe, paypal } = this.world.app.sandbox;
    const [offline] = await sql(
      this.world.app,
      `SELECT count(*)::int, coalesce(sum(r.amount), 0)::int AS sum FROM refund r JOIN donation d ON d.id = r.donation_id
        WHERE d.event_id = $1 AND r.provider IS NULL`,
      [this.world.event.id],
    );
    const online = [...stripe.payments(), ...paypal.payments()].map(
      ({ id, refunded, refundPending }) => [id, refunded, refundPending] as const,
    );
    return JSON.stringify({ offline, online: online.filter(([, back, pending]) => back + pending > 0) });
  }
}
