import type {
  BoardMessage,
  MilestoneMessage,
  MomentMessage,
  RoundMessage,
  ShownMilestone,
  TotalsMessage,
  WallControl,
} from '../../src/gateway/live-messages.js';
import type { PoolMessage } from '../../src/match/public-match.service.js';
import type { Board } from './board.js';
import { Celebration, GOAL, type Praise } from './celebration.js';
import type { Chime } from './chime.js';
import { FeedList } from './feed-list.js';
import { Formats } from './formats.js';
import { goalReached, goalsOf } from './goals.js';
import type { Change, Donation, FeedView } from './live-feed.js';
import { byId, overlayPart, type WallModel } from './model.js';
import { Match } from './match.js';
import { PledgeRound } from './pledge-round.js';
import { Remote } from './remote.js';
import type { Scene } from './scene.js';
import { Slides } from './slides.js';
import { Total } from './total.js';

const ANNOUNCE_EVERY_MS = 6_000;
const MILESTONE_MS = 8_000;

type DonationChange = Extract<Change, { topic: `donation.${string}` }>;

/** False for a milestone that walls may no longer show. */
const isShown = (message: MilestoneMessage): message is MilestoneMessage & ShownMilestone =>
  message.id !== undefined && message.title !== undefined && message.amount !== undefined;

/** Shows the messages of the live channel on the screen. */
export class Wall implements FeedView {
  private readonly formats: Formats;
  private readonly feed: FeedList;
  private readonly total: Total;
  private readonly celebration: Celebration;
  private readonly raise: PledgeRound;
  private readonly pools: Match;
  private books: TotalsMessage | undefined;
  /** The large figure: the total, with the matched money if the settings say so. */
  private sum: number | undefined;
  /** True if a donation was corrected or undone since the last totals, so that the next totals may be lower. */
  private corrected = true;
  private lower = 0;
  private news: string | undefined;
  private announced = 0;
  private readonly remote: Remote;
  private nextGoal: number | undefined;
  /** Undefined before the first snapshot. */
  private steps: readonly ShownMilestone[] | undefined;
  private isGoalShown = false;
  private isCelebrating = false;
  private hasSlide = false;
  /** Ids of donations that waited in the feed when a pause began. They are not celebrated again after the pause. */
  private praised: ReadonlySet<string> = new Set();

  constructor(
    private readonly model: WallModel,
    private readonly scene: Scene,
    private readonly board: Board,
    private readonly chime: Chime,
  ) {
    this.formats = new Formats(model);
    this.feed = new FeedList(this.formats);
    this.total = new Total(this.formats);
    this.raise = new PledgeRound(this.formats, () => {
      this.board.show();
      this.feed.resize();
    });
    this.pools = new Match(
      this.formats,
      model.currency,
      model.isMatchWith,
      (praise) => {
        this.celebration.add(praise);
      },
      () => {
        this.feed.resize();
      },
    );
    this.celebration = new Celebration((shown) => {
      this.celebrates(shown);
    });
    this.remote = new Remote(scene, board, chime, () => {
      this.feed.resize();
    });
    new Slides(
      model,
      () => !this.isCelebrating && !this.feed.hasWaiting && !board.isShown,
      (covered) => {
        this.hasSlide = covered;
        this.coverFeed();
      },
    );
    this.control(model.control);
    setInterval(() => {
      this.announce();
    }, ANNOUNCE_EVERY_MS);
  }

  snapshot(donations: readonly Donation[], held: readonly string[]): void {
    this.corrected = true;
    this.feed.restart(donations.filter(({ id }) => !held.includes(id)));
    this.remote.release();
    this.remote.hold(...donations.filter(({ id }) => held.includes(id)).reverse());
  }

  /** Applies the team's content. During a pause, no new donations appear. After the pause, they appear one after the other. */
  control(control: WallControl): void {
    const was = this.remote.paused;
    this.remote.follow(control);
    if (control.nextGoal !== this.nextGoal) {
      this.nextGoal = control.nextGoal;
      if (this.books) this.showTotal(this.books);
    }
    if (control.paused === was) return;
    this.celebration.pause(control.paused);
    if (control.paused) {
      const waiting = this.feed.takeWaiting();
      this.praised = new Set(waiting.map(({ id }) => id));
      this.remote.hold(...waiting);
    } else for (const donation of this.remote.release()) this.show(donation, true);
  }

  match(pools: readonly PoolMessage[]): void {
    this.pools.restart(pools);
    if (this.books) this.showTotal(this.books);
  }

  round(round: RoundMessage | undefined): void {
    this.raise.show(round);
  }

  /** During a pause, milestones that were reached while the connection was lost are celebrated after the pause too. */
  milestones(milestones: readonly ShownMilestone[]): void {
    const before = this.steps;
    this.steps = milestones;
    if (this.books) this.showTotal(this.books);
    if (!before || !this.remote.paused) return;
    for (const one of milestones)
      if (one.isReached && before.some(({ id, isReached }) => id === one.id && !isReached))
        this.celebrateMilestone(one);
  }

  private milestone(one: ShownMilestone, live: boolean): void {
    this.steps = [...(this.steps ?? []).filter(({ id }) => id !== one.id), one];
    if (this.books) this.showTotal(this.books);
    if (live) this.celebrateMilestone(one);
  }

  private celebrateMilestone({ id, title, text, amount, image }: ShownMilestone): void {
    const { formats, model } = this;
    if (!model.celebratesMilestones) return;
    this.celebration.add({
      id,
      kind: 'milestone',
      shownMs: MILESTONE_MS,
      image,
      thanks: formats.fill('reached', { amount: formats.money(amount, model.currency) }),
      amount: title,
      message: text,
    });
  }

  apply({ topic, body }: Change, live: boolean): void {
    switch (topic) {
      case 'pledge.round':
        this.raise.show(body);
        break;
      case 'milestone.reached':
        if (isShown(body)) this.milestone(body, live);
        break;
      case 'milestones.changed':
        this.milestones(body.milestones ?? []);
        break;
      case 'match.changed':
        this.pools.apply(body, live);
        if (this.books) this.showTotal(this.books);
        break;
      case 'wall.moment':
        if (live) this.moment(body);
        break;
      default:
        this.applyDonation({ topic, body } as DonationChange, live);
    }
  }

  private moment({ id, title, text, seconds }: MomentMessage): void {
    if (id === undefined || title === undefined || !this.model.celebratesMilestones) return;
    this.celebration.add({
      id,
      kind: 'milestone',
      shownMs: seconds === undefined ? undefined : seconds * 1_000,
      thanks: '',
      amount: title,
      message: text,
    });
  }

  private applyDonation({ topic, body }: DonationChange, live: boolean): void {
    if (topic !== 'donation.created') this.corrected = true;
    if (topic === 'donation.retracted') {
      this.remote.replace(body.id, []);
      this.feed.remove(body.id);
      this.celebration.remove(body.id);
    } else if (this.remote.replace(body.id, [body])) {
      // The donation waits for the end of the pause, but its celebration may already be in the queue.
      this.celebration.update(this.praise(body));
    } else if (this.feed.find(body.id)) {
      this.feed.replace(body);
      this.celebration.update(this.praise(body));
    } else if (this.remote.paused) this.remote.hold(body);
    else if (topic === 'donation.created') this.show(body, live);
    else this.feed.putBack(body);
  }

  private show(donation: Donation, live: boolean): void {
    this.feed.add(donation, live);
    this.news = donation.id;
    if (live && this.isLarge(donation) && !this.praised.has(donation.id))
      this.celebration.add(this.praise(donation));
  }

  totals(totals: TotalsMessage): void {
    const before = this.books;
    if (before && this.isDoubtful(before, totals)) return;
    this.books = totals;
    this.corrected = false;
    // Another goal of the event is not celebrated because it is lower.
    if (before?.goalAmount !== totals.goalAmount) this.sum = undefined;
    this.showTotal(totals);
    this.feed.setGiven(totals.totals.some(({ donorCount }) => donorCount > 0));
  }

  teams(board: BoardMessage): void {
    this.board.take(board);
  }

  private goals({ goalAmount }: TotalsMessage): readonly number[] {
    return goalsOf(goalAmount, this.nextGoal);
  }

  /** Shows the large figure and the gauge of the same sum, and celebrates a goal that this sum reaches. */
  private showTotal(books: TotalsMessage): void {
    const matched = this.model.isMatchWith ? this.pools.unpaid : 0;
    const totals = { ...books, totalRaised: books.totalRaised + matched };
    const reached =
      this.sum === undefined ? undefined : goalReached(this.goals(totals), this.sum, totals.totalRaised);
    this.sum = totals.totalRaised;
    if (reached !== undefined) this.celebrateGoal(reached, totals);
    const part = overlayPart();
    const steps = part === undefined || part === 'milestones' ? (this.steps ?? []) : [];
    this.total.show(
      totals,
      this.goals(totals),
      steps.filter(({ kind }) => kind === 'step'),
    );
  }

  private celebrateGoal(goal: number, totals: TotalsMessage): void {
    const { formats } = this;
    const next = this.goals(totals).find((one) => one > totals.totalRaised);
    this.total.hold(goal);
    this.celebration.add({
      id: GOAL,
      kind: 'goal',
      thanks: formats.text('goalReached'),
      amount: formats.money(goal, totals.currency),
      message:
        next === undefined
          ? undefined
          : formats.fill('nextGoal', { goal: formats.money(next, totals.currency) }),
    });
  }

  private coverFeed(): void {
    this.feed.cover(this.isCelebrating || this.hasSlide);
  }

  private celebrates(shown: Praise | undefined): void {
    const isGoal = shown?.id === GOAL;
    this.isCelebrating = shown !== undefined;
    this.coverFeed();
    if (isGoal || shown?.kind === 'milestone') this.chime.play();
    if (shown?.kind === 'milestone')
      byId('announcer').textContent = [shown.thanks, shown.amount].filter(Boolean).join(' ');
    // A goal may wait for the end of another celebration or of a pause. Until then it stays on the gauge.
    if (!isGoal && this.isGoalShown) this.total.hold(undefined);
    this.isGoalShown = isGoal;
  }

  connection(state: 'live' | 'reconnecting' | 'refused', statusCode?: number): void {
    if (state === 'refused' && statusCode === 404) this.end();
    byId('status').hidden = state === 'live';
    byId('status-text').textContent = state === 'live' ? '' : this.formats.text('reconnecting');
    document.documentElement.dataset.state = state;
    if (state !== 'live') return;
    byId('ended').hidden = true;
    void this.board.read();
  }

  /** Applies the status of the event. If the event accepts no donations, hides the QR code. */
  status(status: string): void {
    const wall = byId('wall');
    if (wall.dataset.status === status) return;
    wall.dataset.status = status;
    byId('state-title').textContent = this.formats.text(`${status}.title`);
    byId('state-text').textContent = this.formats.text(`${status}.text`);
    this.scene.status(status);
  }

  /** Removes all names from the screen, because the event is no longer public. */
  end(): void {
    this.feed.restart([]);
    this.celebration.clear();
    this.total.hold(undefined);
    this.raise.show(undefined);
    this.remote.release();
    this.scene.status('ended');
    byId('announcer').textContent = '';
    byId('ended').hidden = false;
  }

  /**
   * True if the totals are probably outdated: two servers can send totals in the wrong order. A lower total is accepted
   * immediately after a correction, otherwise when it arrives a second time.
   */
  private isDoubtful(before: TotalsMessage, totals: TotalsMessage): boolean {
    const less = totals.currency === before.currency && totals.totalRaised < before.totalRaised;
    this.lower = less && !this.corrected ? this.lower + 1 : 0;
    return this.lower === 1;
  }

  private isLarge({ amount, currency, tribute }: Donation): boolean {
    const { celebrateFrom } = this.model;
    // No confetti for a donation in memory of somebody.
    if (tribute?.kind === 'memory') return false;
    if (celebrateFrom === 0) return true;
    return (
      celebrateFrom !== null && currency === this.model.currency && amount !== null && amount >= celebrateFrom
    );
  }

  private praise(donation: Donation): Praise {
    const named = this.formats.isNamed(donation.donorName);
    return {
      id: donation.id,
      kind: 'donation',
      thanks: this.formats.text(named ? 'thanks' : 'thanksUnnamed'),
      name: named ? donation.donorName : undefined,
      amount: this.formats.amount(donation),
      message: donation.message,
    };
  }

  /** Announces the latest donation and the total to screen readers, at intervals. */
  private announce(): void {
    const { books, formats } = this;
    if (!books || (!this.news && this.announced === books.totalRaised)) return;
    const donation = this.news === undefined ? undefined : this.feed.find(this.news);
    const parts = donation ? [formats.donorName(donation.donorName), formats.amount(donation)] : [];
    const total = `${formats.money(books.totalRaised, books.currency)} ${formats.text('raised')}`;
    byId('announcer').textContent = [parts.join(', '), total].filter(Boolean).join('. ');
    this.news = undefined;
    this.announced = books.totalRaised;
  }
}
