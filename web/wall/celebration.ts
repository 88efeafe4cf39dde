import { Confetti } from './confetti.js';
import { byId, overlayPart } from './model.js';

const SHOWN_MS = 6_500;
/** Duration of a celebration while other celebrations wait. */
const SHOWN_IN_TURN_MS = 4_000;
const GOAL_MS = 9_000;
/**
 * `waiting`: maximum number of waiting celebrations. Further donations appear only in the feed. The goal is never left out.
 * `inARow`: number of consecutive celebrations. Then the wall shows the feed for some time. An alert has no feed.
 */
const LIMITS = { wall: { waiting: 3, inARow: 2 }, alert: { waiting: 20, inARow: Infinity } };
const FEED_TURN_MS = 5_000;

export const GOAL = 'goal';

/** The texts of a celebration. */
export interface Praise {
  readonly id: string;
  /** Text that contains `{name}`, which is replaced by `name`. */
  readonly thanks: string;
  readonly name?: string | undefined;
  readonly amount: string;
  readonly message?: string | undefined;
}

/** Celebrates large donations and the goal, one after the other. A donation covers the feed, the goal takes the whole wall. */
export class Celebration {
  private queue: Praise[] = [];
  private shown: Praise | undefined;
  private until = 0;
  private timer = 0;
  private inARow = 0;
  private paused = false;
  private readonly limits = overlayPart() === 'alert' ? LIMITS.alert : LIMITS.wall;
  private readonly root = byId('celebration');
  private readonly confetti = new Confetti(byId('confetti') as HTMLCanvasElement);
  /** Confetti across the whole wall, drawn behind the total, the QR code and the text. */
  private readonly goalConfetti = new Confetti(byId('goal-confetti') as HTMLCanvasElement);

  /** @param onChange receives the celebration that covers the feed now, or undefined */
  constructor(private readonly onChange: (shown: Praise | undefined) => void) {}

  add(one: Praise): void {
    if (one.id === GOAL) {
      this.queue = [one, ...this.queue.filter(({ id }) => id !== GOAL)];
      // The goal waits at most 2.5 seconds for the current celebration, because people can read it in this
      // time.
      if (this.shown) this.nextAt(Math.min(this.until, performance.now() + 2_500));
    } else if (this.queue.length < this.limits.waiting) this.queue.push(one);
    if (!this.shown && !this.paused && (one.id === GOAL || this.inARow < this.limits.inARow)) this.next();
  }

  /** While paused, no new celebration starts; the current one ends as usual. */
  pause(paused: boolean): void {
    this.paused = paused;
    if (!paused && !this.shown) this.next();
  }

  /** Replaces the texts of a donation that was edited or hidden. */
  update(one: Praise): void {
    this.queue = this.queue.map((waiting) => (waiting.id === one.id ? one : waiting));
    if (this.shown?.id === one.id) this.show(one);
  }

  /** Removes the celebration of a donation that was undone. */
  remove(id: string): void {
    this.queue = this.queue.filter((waiting) => waiting.id !== id);
    if (this.shown?.id === id) this.next();
  }

  clear(): void {
    this.queue = [];
    this.next();
  }

  private next(): void {
    const goalWaits = this.queue[0]?.id === GOAL;
    const feedsTurn = !goalWaits && this.inARow >= this.limits.inARow;
    this.shown = feedsTurn || this.paused ? undefined : this.queue.shift();
    const isGoal = this.shown?.id === GOAL;
    this.root.hidden = !this.shown;
    byId('moment').hidden = !isGoal;
    document.body.classList.toggle('is-goal', isGoal);
    this.confetti.stop();
    this.goalConfetti.stop();
    this.onChange(this.shown);
    if (!this.shown) {
      this.inARow = feedsTurn ? this.limits.inARow : 0;
      if (feedsTurn && !this.paused)
        this.nextAt(performance.now() + FEED_TURN_MS, () => {
          this.inARow = 0;
          this.next();
        });
      return;
    }
    this.inARow += 1;
    this.show(this.shown);
    const inTurn = this.queue.length > 0 ? SHOWN_IN_TURN_MS : SHOWN_MS;
    const shownFor = isGoal ? GOAL_MS : inTurn;
    (isGoal ? this.goalConfetti : this.confetti).start(shownFor);
    this.nextAt(performance.now() + shownFor);
  }

  private nextAt(
    time: number,
    then = () => {
      this.next();
    },
  ): void {
    clearTimeout(this.timer);
    this.until = time;
    this.timer = window.setTimeout(then, Math.max(0, time - performance.now()));
  }

  private show(one: Praise): void {
    this.shown = one;
    this.root.classList.toggle('celebration--goal', one.id === GOAL);
    const [before = '', rest = ''] = one.thanks.split('{name}');
    const [sign = ''] = /^\S*/.exec(rest) ?? [];
    const name = document.createElement('bdi');
    name.textContent = one.name ?? '';
    // A name that fits on one line stays on it, together with the exclamation mark.
    const whole = document.createElement('span');
    whole.className = 'celebration__name';
    whole.append(name, sign);
    byId('celebration-thanks').replaceChildren(before, ...(one.name ? [whole] : []), rest.slice(sign.length));
    byId('celebration-amount').textContent = one.amount;
    byId('celebration-message').textContent = one.message ?? '';
  }
}
