import type { Socket } from 'socket.io-client';
import type { PoolMessage } from '../../src/match/public-match.service.js';
import type {
  BoardMessage,
  DonationMessage,
  ErrorAck,
  JoinAck,
  MilestoneMessage,
  MilestonesMessage,
  MomentMessage,
  RetractedMessage,
  RoundMessage,
  ShownMilestone,
  Snapshot,
  TotalsMessage,
  WallControl,
} from '../../src/gateway/live-messages.js';

export type Donation = Omit<DonationMessage, 'sequence'>;
export type Change =
  | { readonly topic: 'donation.created' | 'donation.updated'; readonly body: DonationMessage }
  | { readonly topic: 'donation.retracted'; readonly body: RetractedMessage }
  | Round
  | { readonly topic: 'milestone.reached'; readonly body: MilestoneMessage }
  | { readonly topic: 'milestones.changed'; readonly body: MilestonesMessage }
  | { readonly topic: 'wall.moment'; readonly body: MomentMessage }
  | Pool;

/** A message about a paddle raise. It always has a sequence number of the feed. */
interface Round {
  readonly topic: 'pledge.round';
  readonly body: RoundMessage & { readonly sequence: number };
}

/** A message about a match pool; only its place if walls may not show the pool. */
interface Pool {
  readonly topic: 'match.changed';
  readonly body: Partial<PoolMessage> & { readonly sequence: number };
}

/** The screen on which the client shows the messages. */
export interface FeedView {
  /** Replaces all donations. `held`: ids of donations that arrived while the walls are paused. */
  snapshot(donations: readonly Donation[], held: readonly string[]): void;
  /** Applies the content that the team chose for the walls. Called before `snapshot`, which depends on a pause. */
  control(control: WallControl): void;
  /** Applies one message. `live` is true for a new message, false for a repeated older one. */
  apply(change: Change, live: boolean): void;
  /** Shows the open round of a paddle raise. Called after `snapshot`. */
  round(round: RoundMessage | undefined): void;
  /** Replaces the milestones. Called after `snapshot`. */
  milestones?(milestones: readonly ShownMilestone[]): void;
  /** Shows the match pools of the event. Called after `snapshot`. */
  match(pools: readonly PoolMessage[]): void;
  totals(totals: TotalsMessage): void;
  /** Shows the changed board of teams. */
  teams?(board: BoardMessage): void;
  connection(state: 'live' | 'reconnecting' | 'refused', statusCode?: number): void;
}

/**
 * The client of the live channel. It applies messages in the order of their `sequence`, and ignores messages that it
 * has already applied. It keeps messages that arrive too early. If a message is missing for longer, it joins again with
 * `since`, and the server sends the missing messages.
 */
export class LiveFeed {
  /** Sequence number of the last applied message; null before the first answer. */
  private last: number | null = null;
  private readonly ahead = new Map<number, Change>();
  /**
   * True while the team shows another scene, a notice or a pause. Then each join requests a snapshot, because
   * only a snapshot contains the change back to the normal wall.
   */
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
    // Sends the join request together with the connection, to save a round trip. After a reconnect, the request contains
    // the last sequence number.
    socket.auth = (give: (auth: object) => void) => {
      give({ joinEvent: this.request() });
    };
    socket.on('connect', () => {
      this.joining = true;
      this.answerTimer = window.setTimeout(() => {
        // A server of an older version does not answer this request. So send it as a separate message.
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
      'milestone.reached',
      'milestones.changed',
      'wall.moment',
      'match.changed',
    ] as const)
      socket.on(topic, (body: Change['body']) => {
        this.receive({ topic, body } as Change);
      });
    socket.on('wall.control', (control: WallControl) => {
      this.receiveControl(control);
    });
    socket.on('board.changed', (board: BoardMessage) => {
      this.view.teams?.(board);
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
        // This answer belongs to an earlier connection.
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
      this.view.milestones?.(snapshot.milestones ?? []);
      this.view.match((snapshot as Snapshot & { match?: PoolMessage[] }).match ?? []);
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
    // The library reconnects automatically, except after the server has closed the connection.
    if (reason === 'io server disconnect')
      setTimeout(() => this.socket.connect(), 5_000 + Math.random() * 5_000);
  }

  private receive(change: Change): void {
    if (this.last !== null && change.body.sequence <= this.last) return;
    this.ahead.set(change.body.sequence, change);
    if (this.last === null) return;
    // Messages that arrive during a join are older ones that this wall has missed. So do not celebrate them.
    this.drain(!this.joining);
    if (this.ahead.size > 0) this.noticeGap();
  }

  private receiveControl(control: WallControl): void {
    const { scene, notice, paused, nextGoal, sound } = control;
    this.steered = scene !== 'wall' || notice !== '' || paused || nextGoal !== undefined || sound === true;
    this.view.control(control);
  }

  private receiveTotals(totals: TotalsMessage): void {
    if (totals.sequence >= this.totalsAt) {
      this.totalsAt = totals.sequence;
      this.view.totals(totals);
    }
    if (this.last !== null && totals.sequence > this.last) this.noticeGap();
  }

  /** Joins again if a message is still missing after a random time. So walls with the same gap do not all ask at once. */
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
