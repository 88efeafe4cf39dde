import type { RoundMessage, TotalsMessage, WallControl } from '../../src/gateway/live-messages.js';
import { Celebration, GOAL, type Praise } from './celebration.js';
import type { Chime } from './chime.js';
import { FeedList } from './feed-list.js';
import { Formats } from './formats.js';
import { goalReached, goalsOf } from './goals.js';
import type { Change, Donation, FeedView } from './live-feed.js';
import { byId, type WallModel } from './model.js';
import { PledgeRound } from './pledge-round.js';
import { Remote } from './remote.js';
import type { Scene } from './scene.js';
import { Slides } from './slides.js';
import { Total } from './total.js';

const ANNOUNCE_EVERY_MS = 6_000;

/** Shows the messages of the live channel on the screen. */
export class Wall implements FeedView {
  private readonly formats: Formats;
  private readonly feed: FeedList;
  private readonly total: Total;
  private readonly celebration: Celebration;
  private readonly raise: PledgeRound;
  private books: TotalsMessage | undefined;
  /** True if a donation was corrected or undone since the last totals, so that the next totals may be lower. */
  private corrected = true;
  private lower = 0;
  private news: string | undefined;
  private announced = 0;
  private readonly remote: Remote;
  private nextGoal: number | undefined;
  private isGoalShown = false;
  private isCelebrating = false;
  private hasSlide = false;
  /** Ids of donations that waited in the feed when a pause began. They are not celebrated again after the pause. */
  private praised: ReadonlySet<string> = new Set();

  constructor(
    private readonly model: WallModel,
    private readonly scene: Scene,
    private readonly chime: Chime,
  ) {
    this.formats = new Formats(model);
    this.feed = new FeedList(this.formats);
    this.total = new Total(this.formats);
    this.raise = new PledgeRound(this.formats, () => {
      this.feed.resize();
    });
    this.celebration = new Celebration((shown) => {
      this.celebrates(shown);
    });
    this.remote = new Remote(scene, chime, () => {
      this.feed.resize();
    });
    new Slides(
      model,
      () => !this.isCelebrating && !this.feed.hasWaiting,
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

  round(round: RoundMessage | undefined): void {
    this.raise.show(round);
  }

  apply({ topic, body }: Change, live: boolean): void {
    if (topic === 'pledge.round') {
      this.raise.show(body);
      return;
    }
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
    const { goalAmount, totalRaised } = totals;
    const reached =
      before?.goalAmount === goalAmount
        ? goalReached(this.goals(totals), before.totalRaised, totalRaised)
        : undefined;
    if (reached !== undefined) this.celebrateGoal(reached, totals);
    this.showTotal(totals);
    this.feed.setGiven(totals.totals.some(({ donorCount }) => donorCount > 0));
  }

  private goals({ goalAmount }: TotalsMessage): readonly number[] {
    return goalsOf(goalAmount, this.nextGoal);
  }

  private showTotal(totals: TotalsMessage): void {
    this.total.show(totals, this.goals(totals));
  }

  private celebrateGoal(goal: number, totals: TotalsMessage): void {
    const { formats } = this;
    const next = this.goals(totals).find((one) => one > totals.totalRaised);
    this.total.hold(goal);
    this.celebration.add({
      id: GOAL,
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
    if (isGoal) this.chime.play();
    // A goal may wait for the end of another celebration or of a pause. Until then it stays on the gauge.
    else if (this.isGoalShown) this.total.hold(undefined);
    this.isGoalShown = isGoal;
  }

  connection(state: 'live' | 'reconnecting' | 'refused', statusCode?: number): void {
    if (state === 'refused' && statusCode === 404) this.end();
    byId('status').hidden = state === 'live';
    byId('status-text').textContent = state === 'live' ? '' : this.formats.text('reconnecting');
    document.documentElement.dataset.state = state;
    if (state === 'live') byId('ended').hidden = true;
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

  private isLarge({ amount, currency }: Donation): boolean {
    const { celebrateFrom } = this.model;
    if (celebrateFrom === 0) return true;
    return (
      celebrateFrom !== null && currency === this.model.currency && amount !== null && amount >= celebrateFrom
    );
  }

  private praise(donation: Donation): Praise {
    const named = this.formats.isNamed(donation.donorName);
    return {
      id: donation.id,
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
