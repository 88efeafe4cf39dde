import { Confetti } from './confetti.js';
import { byId, overlayPart } from './model.js';

const SHOWN_MS = 6_500;
/** Duration of a celebration while other celebrations wait. */
const SHOWN_IN_TURN_MS = 4_000;
const GOAL_MS = 9_000;
/** Time until a celebration of a donation makes room for a goal, a milestone or a moment, because people can read it by then. */
const READ_MS = 2_500;
/**
 * `waiting`: maximum number of waiting donations. Further donations appear only in the feed. Goals, milestones and moments are
 * never left out.
 * `inARow`: number of consecutive celebrations. Then the wall shows the feed for some time. An alert has no feed.
 */
const LIMITS = { wall: { waiting: 3, inARow: 2 }, alert: { waiting: 20, inARow: Infinity } };
const FEED_TURN_MS = 5_000;

/** Smallest size of the texts of a milestone, as a factor of the usual size. */
const SMALLEST_FIT = 0.4;

export const GOAL = 'goal';

/** Celebrations in the order in which waiting ones are shown. A moment of the team comes with the milestones. */
const ORDER = ['goal', 'milestone', 'donation'] as const;

/** The texts of a celebration. */
export interface Praise {
  readonly id: string;
  readonly kind: (typeof ORDER)[number];
  /** Time on the wall; by default, as long as its kind. */
  readonly shownMs?: number | undefined;
  /** Address of a picture. */
  readonly image?: string | undefined;
  /** Text that contains `{name}`, which is replaced by `name`. */
  readonly thanks: string;
  readonly name?: string | undefined;
  readonly amount: string;
  readonly message?: string | undefined;
}

/**
 * Celebrates the goal, milestones and large donations, one after the other. The goal takes the whole wall, the others cover the
 * feed.
 */
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

  private readonly image = byId('celebration-image') as HTMLImageElement;

  /** @param onChange receives the celebration that covers the feed now, or undefined */
  constructor(private readonly onChange: (shown: Praise | undefined) => void) {
    const fit = () => {
      this.fit();
    };
    this.image.addEventListener('load', fit);
    addEventListener('resize', fit);
  }

  add(one: Praise): void {
    const isDonation = one.kind === 'donation';
    if (!isDonation) {
      const others = this.queue.filter(({ id }) => id !== one.id);
      const place = others.filter(({ kind }) => ORDER.indexOf(kind) <= ORDER.indexOf(one.kind)).length;
      this.queue = [...others.slice(0, place), one, ...others.slice(place)];
      if (this.shown?.kind === 'donation') this.nextAt(Math.min(this.until, performance.now() + READ_MS));
    } else if (this.queue.filter(({ kind }) => kind === 'donation').length < this.limits.waiting)
      this.queue.push(one);
    if (!this.shown && !this.paused && (!isDonation || this.inARow < this.limits.inARow)) this.next();
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
    const [first] = this.queue;
    const isUrgent = first !== undefined && first.kind !== 'donation';
    const feedsTurn = !isUrgent && this.inARow >= this.limits.inARow;
    this.shown = feedsTurn || this.paused ? undefined : this.queue.shift();
    const isGoal = this.shown?.kind === 'goal';
    this.root.hidden = !this.shown;
    byId('moment').hidden = !isGoal;
    document.body.classList.toggle('is-goal', isGoal);
    document.body.classList.toggle('is-milestone', this.shown?.kind === 'milestone');
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
    const shownFor = this.shown.shownMs ?? (isGoal ? GOAL_MS : inTurn);
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
    for (const kind of ORDER) this.root.classList.toggle(`celebration--${kind}`, one.kind === kind);
    this.image.hidden = one.image === undefined;
    if (one.image !== undefined) this.image.src = one.image;
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
    this.fit();
  }

  /** Makes the picture and the texts of a milestone smaller until they fit. */
  private fit(): void {
    const { root } = this;
    const card = this.image.parentElement;
    for (let fit = 1; card && fit >= SMALLEST_FIT; fit -= 0.05) {
      root.style.setProperty('--fit', String(fit));
      const style = getComputedStyle(root);
      const room = root.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
      if (this.shown?.kind !== 'milestone' || card.offsetHeight <= room) return;
    }
  }
}
