import type { Socket } from 'socket.io-client';
import type {
  DonationMessage,
  ErrorAck,
  JoinAck,
  RetractedMessage,
  RoundMessage,
  Snapshot,
  TotalsMessage,
  WallControl,
} from '../../src/gateway/live-messages.js';

export type Donation = Omit<DonationMessage, 'sequence'>;
export type Change =
  | { readonly topic: 'donation.created' | 'donation.updated'; readonly body: DonationMessage }
  | { readonly topic: 'donation.retracted'; readonly body: RetractedMessage }
  | Round;

/** Messages of a paddle raise are always in the sequence of the feed. */
interface Round {
  readonly topic: 'pledge.round';
  readonly body: RoundMessage & { readonly sequence: number };
}

/** The display of the feed. */
export interface FeedView {
  /** Replaces everything; `held`: donations that arrived while walls are paused, by id. */
  snapshot(donations: readonly Donation[], held: readonly string[]): void;
  /** Content that the team chose for the walls; arrives before the donations that it concerns. */
  control(control: WallControl): void;
  /** One message; `live` if it is new and not a replay. */
  apply(change: Change, live: boolean): void;
  /** The open round, after everything was replaced. */
  round(round: RoundMessage | undefined): void;
  totals(totals: TotalsMessage): void;
  connection(state: 'live' | 'reconnecting' | 'refused', statusCode?: number): void;
}

/**
 * The client of the live channel: keeps its position in the feed, holds early messages, and requests missing ones.
 * Knows nothing of pages. The rule: apply messages in the order of `sequence`; ignore those at or below the last
 * one; hold early ones, and if a gap remains, join again with `since`.
 */
export class LiveFeed {
  /** Last applied sequence; null before the first answer. */
  private last: number | null = null;
  private readonly ahead = new Map<number, Change>();
  /** True if the team has changed the walls: only a snapshot shows the end of it. */
  private steered = false;
  private joining = false;
  private answerTimer = 0;
  private gapTimer = 0;
  private retryTimer = 0;
  private totalsAt = -1;

  constructor(
    private readonly socket: Socket,
    private readonly event: string,
    private readonly view: FeedView,
  ) {
    // The connection itself contains the join request, which saves a round trip; a reconnect continues from the last
    // position.
    socket.auth = (give: (auth: object) => void) => {
      give({ joinEvent: this.request() });
    };
    socket.on('connect', () => {
      this.joining = true;
      this.answerTimer = window.setTimeout(() => {
        // A server of an older version does not know this.
        this.joining = false;
        this.join();
      }, 4_000);
    });
    socket.on('join.answer', (answer: JoinAck | ErrorAck) => {
      clearTimeout(this.answerTimer);
      this.answered(answer);
    });
    socket.on('disconnect', (reason) => {
      this.lost(reason);
    });
    socket.on('connect_error', () => {
      this.view.connection('reconnecting');
    });
    for (const topic of [
      'donation.created',
      'donation.updated',
      'donation.retracted',
      'pledge.round',
    ] as const)
      socket.on(topic, (body: Change['body']) => {
        this.receive({ topic, body } as Change);
      });
    socket.on('wall.control', (control: WallControl) => {
      this.receiveControl(control);
    });
    socket.on('event.totals', (totals: TotalsMessage) => {
      this.receiveTotals(totals);
    });
  }

  /** Joins, or joins again to get missing messages. Reconnects if the connection does not answer. */
  join(): void {
    if (this.joining || !this.socket.connected) return;
    this.joining = true;
    clearTimeout(this.gapTimer);
    this.gapTimer = 0;
    const { id } = this.socket;
    this.socket
      .timeout(8_000)
      .emit('joinEvent', this.request(), (late: Error | null, answer: JoinAck | ErrorAck) => {
        // An answer on a closed connection does not concern this one.
        if (this.socket.id !== id) return;
        this.joining = false;
        if (late) this.socket.disconnect().connect();
        else this.answered(answer);
      });
  }

  private request(): object {
    const place = this.last === null || this.steered ? { snapshot: true } : { since: this.last };
    return { eventId: this.event, ...place };
  }

  private answered(answer: JoinAck | ErrorAck): void {
    this.joining = false;
    if ('error' in answer) this.refused(answer.error.statusCode);
    else this.joined(answer.sequence, answer.snapshot);
  }

  private joined(sequence: number, snapshot: Snapshot | undefined): void {
    if (snapshot) {
      this.last = sequence;
      this.totalsAt = -1;
      this.receiveControl(snapshot.wall);
      this.view.snapshot(snapshot.donations, snapshot.held ?? []);
      this.view.round(snapshot.pledgeRound);
      this.receiveTotals(snapshot);
    }
    for (const place of [...this.ahead.keys()].sort((a, b) => a - b))
      if (place <= sequence) this.take(place, false);
    this.last = Math.max(this.last ?? 0, sequence);
    this.drain(true);
    this.view.connection('live');
  }

  private refused(statusCode: number): void {
    this.view.connection('refused', statusCode);
    clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(
      () => {
        this.join();
      },
      5_000 + Math.random() * 5_000,
    );
  }

  private lost(reason: string): void {
    this.joining = false;
    clearTimeout(this.answerTimer);
    this.view.connection('reconnecting');
    // The library reconnects by itself, unless the server closed the connection.
    if (reason === 'io server disconnect')
      setTimeout(() => this.socket.connect(), 5_000 + Math.random() * 5_000);
  }

  private receive(change: Change): void {
    if (this.last !== null && change.body.sequence <= this.last) return;
    this.ahead.set(change.body.sequence, change);
    if (this.last === null) return;
    // Messages during the join were missed earlier: do not celebrate them.
    this.drain(!this.joining);
    if (this.ahead.size > 0) this.noticeGap();
  }

  private receiveControl(control: WallControl): void {
    this.steered = control.scene !== 'wall' || control.notice !== '' || control.paused;
    this.view.control(control);
  }

  private receiveTotals(totals: TotalsMessage): void {
    if (totals.sequence >= this.totalsAt) {
      this.totalsAt = totals.sequence;
      this.view.totals(totals);
    }
    if (this.last !== null && totals.sequence > this.last) this.noticeGap();
  }

  /** Waits a random time, because a missing message often arrives soon, and walls must not all ask at once. */
  private noticeGap(): void {
    if (this.gapTimer || this.joining) return;
    const noticed = this.last;
    this.gapTimer = window.setTimeout(
      () => {
        this.gapTimer = 0;
        if (this.last === noticed) this.join();
        else if (this.ahead.size > 0) this.noticeGap();
      },
      300 + Math.random() * 700,
    );
  }

  private drain(live: boolean): void {
    while (this.last !== null && this.ahead.has(this.last + 1)) this.take(this.last + 1, live);
    for (const place of this.ahead.keys()) if (place <= (this.last ?? 0)) this.ahead.delete(place);
  }

  private take(place: number, live: boolean): void {
    const change = this.ahead.get(place);
    this.ahead.delete(place);
    if (!change || place <= (this.last ?? 0)) return;
    this.last = place;
    this.view.apply(change, live);
  }
}
