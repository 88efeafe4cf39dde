import type { RoundMessage } from '../../src/gateway/live-messages.js';
import type { Formats } from './formats.js';
import { byId } from './model.js';

/** Milliseconds for which a closed round stays visible. */
const THANKS_MS = 20_000;

/** Shows the paddle raise: its level, the number of pledges and their sum. Pledges are not in the total. */
export class PledgeRound {
  private timer = 0;
  private shown: RoundMessage | undefined;
  private readonly root = byId('raise');

  /** @param onResize called when the space of the feed has changed */
  constructor(
    private readonly formats: Formats,
    private readonly onResize: () => void,
  ) {}

  show(round: RoundMessage | undefined): void {
    // A late pledge changes a closed round that is no longer shown, so ignore the message.
    if (round?.status === 'closed' && this.shown?.roundId !== round.roundId) return;
    clearTimeout(this.timer);
    this.shown = round;
    if (round) this.write(round);
    if (round?.status === 'closed')
      this.timer = window.setTimeout(() => {
        this.show(undefined);
      }, THANKS_MS);
    if (this.root.hidden === (round === undefined)) return;
    this.root.hidden = round === undefined;
    this.onResize();
  }

  private write({ amount, currency, name, count, sum, status }: RoundMessage): void {
    const { formats } = this;
    const isClosed = status === 'closed';
    this.root.dataset['status'] = status;
    byId('raise-title').textContent = isClosed
      ? formats.text('raise.closed')
      : (name ?? formats.text('raise.title'));
    byId('raise-each').textContent = formats.fill('raise.each', { amount: formats.money(amount, currency) });
    byId('raise-count').textContent = formats.number(count);
    byId('raise-label').textContent = formats.plural('raise.pledges', count);
    byId('raise-sum').textContent = formats.fill('raise.sum', { sum: formats.money(sum, currency) });
  }
}
