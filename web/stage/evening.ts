import type {
  RoundMessage,
  ShownMilestone,
  TotalsMessage,
  WallControl,
} from '../../src/gateway/live-messages.js';
import type { PoolMessage } from '../../src/match/public-match.service.js';
import type { Change, Donation, FeedView } from '../wall/live-feed.js';
import { goalsOf } from '../wall/goals.js';
import { matchedOf } from '../wall/pools.js';

/** Donations that the page keeps. A speaker thanks a few of the newest. */
const KEPT = 200;

/** Everything that the page shows, at one moment. */
export interface Shown {
  readonly connection: 'live' | 'reconnecting' | 'refused';
  /** Status of the event; `ended` if it is no longer public. */
  readonly status: string;
  /** Undefined before the first answer. */
  readonly totals: TotalsMessage | undefined;
  /** The newest donations that walls show, newest first. */
  readonly donations: readonly Donation[];
  readonly milestones: readonly ShownMilestone[];
  readonly pools: readonly PoolMessage[];
  /** The last round, open or closed. */
  readonly round: RoundMessage | undefined;
  readonly control: WallControl;
}

const newestFirst = (one: Donation, other: Donation): number => (one.id < other.id ? 1 : -1);

/** Follows the live channel of an event and keeps what the speaker needs. It shows nothing that walls do not show. */
export class Evening implements FeedView {
  private donations: readonly Donation[] = [];
  /** Ids of donations that arrived during the current pause of the walls. */
  private waiting = new Set<string>();

  /** @param onChange called after each change of `shown` */
  constructor(
    public shown: Shown,
    private readonly onChange: () => void,
  ) {}

  snapshot(donations: readonly Donation[], held: readonly string[]): void {
    this.waiting = new Set(held);
    this.donations = [...donations].sort(newestFirst);
    this.showDonations();
  }

  control(control: WallControl): void {
    if (!control.paused) this.waiting.clear();
    this.update({ control });
    this.showDonations();
  }

  apply({ topic, body }: Change): void {
    switch (topic) {
      case 'pledge.round':
        this.round(body);
        break;
      case 'milestone.reached':
        if (body.id !== undefined)
          this.milestones([
            ...this.shown.milestones.filter(({ id }) => id !== body.id),
            body as ShownMilestone,
          ]);
        break;
      case 'milestones.changed':
        this.milestones(body.milestones ?? []);
        break;
      case 'match.changed':
        if (body.poolId !== undefined)
          this.match([
            ...this.shown.pools.filter(({ poolId }) => poolId !== body.poolId),
            body as PoolMessage,
          ]);
        break;
      case 'wall.moment':
        break;
      default:
        this.donation(topic, body);
    }
  }

  private donation(topic: string, body: { readonly id: string }): void {
    const others = this.donations.filter(({ id }) => id !== body.id);
    if (topic === 'donation.created' && this.shown.control.paused) this.waiting.add(body.id);
    this.donations =
      topic === 'donation.retracted'
        ? others
        : [body as Donation, ...others].sort(newestFirst).slice(0, KEPT);
    this.showDonations();
  }

  private showDonations(): void {
    this.update({ donations: this.donations.filter(({ id }) => !this.waiting.has(id)) });
  }

  /** The state at the start of the page names only an open round, so a closed one is kept until the next one opens. */
  round(round: RoundMessage | undefined): void {
    const last = this.shown.round;
    const isOld = round?.status === 'closed' && last?.status === 'open' && last.roundId !== round.roundId;
    if (isOld) return;
    this.update({ round: round ?? (last && { ...last, status: 'closed' }) });
  }

  milestones(milestones: readonly ShownMilestone[]): void {
    this.update({ milestones: [...milestones].sort((one, other) => one.amount - other.amount) });
  }

  match(pools: readonly PoolMessage[]): void {
    this.update({ pools });
  }

  totals(totals: TotalsMessage): void {
    this.update({ totals });
  }

  connection(connection: Shown['connection'], statusCode?: number): void {
    if (connection === 'refused' && statusCode === 404) this.end();
    else this.update({ connection });
  }

  status(status: string): void {
    this.update({ status });
  }

  end(): void {
    this.update({ status: 'ended' });
  }

  private update(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.onChange();
  }
}

/** The next sum to reach: a milestone, or a goal if it comes first. */
export interface NextStep {
  readonly amount: number;
  /** Undefined for a goal of the event. */
  readonly milestone: ShownMilestone | undefined;
  /**
   * Minor units that are missing; 0 if the sum is reached and the team has not announced the milestone yet. Undefined if the
   * milestone also counts pledges, whose sum is not public.
   */
  readonly missing: number | undefined;
}

/**
 * Returns the next step; undefined before the first totals, or if nothing is left to reach.
 * @param isMatchWith true if the large total contains the matched money, so that it also counts for the goals
 */
export function nextStep(
  { totals, milestones, control, pools }: Shown,
  isMatchWith: boolean,
): NextStep | undefined {
  if (!totals) return undefined;
  const { totalRaised, goalAmount, currency } = totals;
  const matched = matchedOf(pools, currency);
  const shown = isMatchWith ? totalRaised + matched : totalRaised;
  const goals = goalsOf(goalAmount, control.nextGoal)
    .filter((amount) => amount > shown && !milestones.some((one) => one.amount === amount))
    .map((amount) => ({ amount, milestone: undefined, missing: amount - shown }));
  const waiting = milestones
    .filter(({ isReached }) => !isReached)
    .map((milestone) => {
      const { amount, basis } = milestone;
      const sum = basis === 'with_matches' ? totalRaised + matched : totalRaised;
      return {
        amount,
        milestone,
        missing: basis === 'with_promises' ? undefined : Math.max(0, amount - sum),
      };
    });
  return [...waiting, ...goals].sort((one, other) => one.amount - other.amount)[0];
}

/** The level to call after a round: the next lower one, or the highest one before the first round. */
export function nextLevel(levels: readonly number[], round: RoundMessage | undefined): number | undefined {
  const falling = [...levels].sort((one, other) => other - one);
  return round ? falling.find((level) => level < round.amount) : falling[0];
}
