import { percentOf } from '../../src/common/text/percent.js';
import { thermometer } from '../../src/milestones/thermometer.js';
import type { TotalsMessage } from '../../src/gateway/live-messages.js';
import type { Formats } from './formats.js';
import { currentGoal } from './goals.js';
import { byId, stillness } from './model.js';
import { type Step, Steps } from './steps.js';

const COUNT_UP_MS = 1_200;

/** The large total, the gauge and the figures next to them. */
export class Total {
  private shown = 0;
  private counting = 0;
  private currency = '';
  private totals: TotalsMessage | undefined;
  private goals: readonly number[] = [];
  private milestones: readonly Step[] = [];
  private readonly steps: Steps;
  /** The goal that is being celebrated. The next goal appears afterwards. */
  private held: number | undefined;
  private readonly element = byId('total');

  constructor(private readonly formats: Formats) {
    const fit = () => {
      this.fit();
    };
    this.steps = new Steps(formats);
    addEventListener('resize', fit);
    document.fonts.addEventListener('loadingdone', fit);
  }

  /**
   * @param goals the goals of the event, lowest first
   * @param milestones with at least one, the gauge ends at the next milestone or goal, and names the milestones
   */
  show(totals: TotalsMessage, goals: readonly number[], milestones: readonly Step[]): void {
    const { formats } = this;
    const { totalRaised, currency, donorCount } = totals;
    this.totals = totals;
    this.goals = goals;
    this.milestones = milestones;
    this.currency = currency;
    byId('donors').textContent = formats.number(donorCount);
    byId('donors-label').textContent = formats.donors(donorCount);
    this.showGoal(totals);
    const others = totals.totals.filter((one) => one.currency !== currency && one.totalRaised > 0);
    byId('also').hidden = others.length === 0;
    byId('also').parentElement?.classList.toggle('wall__total--several', others.length > 0);
    byId('also').replaceChildren(
      ...others.map((one) => {
        const amount = document.createElement('bdi');
        amount.textContent = `+ ${formats.money(one.totalRaised, one.currency)}`;
        return amount;
      }),
    );
    this.countTo(totalRaised);
  }

  /** Shows a goal also after it is reached, until `hold(undefined)`. */
  hold(goal: number | undefined): void {
    this.held = goal;
    if (this.totals) this.showGoal(this.totals);
  }

  private showGoal({ totalRaised, currency }: TotalsMessage): void {
    const { formats, goals } = this;
    const goal = this.held ?? currentGoal(goals, totalRaised);
    const gauge = byId('gauge');
    const { milestones } = this;
    const hasSteps = milestones.length > 0;
    gauge.hidden = goal === undefined && !hasSteps;
    byId('gauge-mark').hidden = true;
    if (hasSteps) {
      this.showSteps(totalRaised, currency);
      return;
    }
    this.steps.show(undefined, currency);
    byId('goal').textContent =
      goal === undefined
        ? formats.text('raised')
        : formats.fill('ofGoal', { goal: formats.money(goal, currency) });
    byId('percent').textContent = goal === undefined ? '' : this.progress(totalRaised, goal, currency);
    if (goal === undefined) return;
    this.fill(totalRaised / goal, totalRaised, currency);
    gauge.setAttribute('aria-valuenow', String(Math.min(100, percentOf(Math.max(0, totalRaised), goal))));
    // On the way to the next goal, a mark shows the position of the first goal.
    const [first = goal] = goals;
    byId('gauge-mark').hidden = first === goal;
    byId('gauge-mark').style.setProperty('--at', `${(first / goal) * 100}%`);
  }

  /** The gauge that grows with the milestones. The percentage is of the event's goal, also above 100%. */
  private showSteps(total: number, currency: string): void {
    const { formats, milestones, goals } = this;
    const marks: Step[] = goals
      .filter((goal) => !milestones.some(({ amount }) => amount === goal))
      .map((amount) => ({ amount, isReached: total >= amount }));
    const scale = thermometer(total, [...milestones, ...marks]);
    this.fill(scale.filled, total, currency);
    byId('gauge').setAttribute('aria-valuenow', String(Math.floor(scale.filled * 100)));
    const [goal] = goals;
    byId('goal').textContent =
      goal === undefined
        ? formats.text('raised')
        : formats.fill('ofGoal', { goal: formats.money(goal, currency) });
    byId('percent').textContent =
      goal === undefined ? '' : formats.percent(percentOf(Math.max(0, total), goal) / 100);
    this.steps.show(scale, currency);
  }

  private fill(part: number, total: number, currency: string): void {
    const filled = Math.min(1, Math.max(0, part));
    const gauge = byId('gauge');
    gauge.classList.toggle('gauge--full', filled === 1);
    gauge.setAttribute('aria-valuetext', this.formats.money(total, currency));
    byId('gauge-fill').style.setProperty('--filled', `${filled * 100}%`);
  }

  /**
   * Returns the percentage up to the goal, and above it the amount beyond the goal, because "87,654%" has no
   * meaning for guests.
   */
  private progress(total: number, goal: number, currency: string): string {
    if (total > goal)
      return this.formats.fill('beyond', { amount: this.formats.money(total - goal, currency) });
    // Rounded down, so that 100% appears only when the goal is reached.
    return this.formats.percent(percentOf(Math.max(0, total), goal) / 100);
  }

  /** Animates the total from the shown amount to the new amount, always in one direction. */
  private countTo(target: number): void {
    cancelAnimationFrame(this.counting);
    const from = this.shown;
    if (stillness() || document.hidden || from === 0 || from === target) {
      this.write(target);
      return;
    }
    const unit = this.formats.unitOf(this.currency);
    let begin: number | undefined;
    const step = (now: number) => {
      // Starts at the time of the first frame. With `performance.now()` as the start, the animation could count backwards.
      begin ??= now;
      const done = Math.min(1, (now - begin) / COUNT_UP_MS);
      const whole = Math.round((from + (target - from) * (1 - (1 - done) ** 3)) / unit) * unit;
      const [low, high] = from < target ? [this.shown, target] : [target, this.shown];
      this.write(done === 1 ? target : Math.min(high, Math.max(low, whole)));
      if (done < 1) this.counting = requestAnimationFrame(step);
    };
    this.counting = requestAnimationFrame(step);
  }

  private write(amount: number): void {
    this.shown = amount;
    const text = this.formats.money(amount, this.currency);
    const before = this.element.textContent;
    if (before === text) return;
    this.element.textContent = text;
    byId('scene-total').textContent = text;
    if (text.length !== before.length) this.fit();
  }

  /** Sets the largest font size with which the total fits on one line. */
  private fit(): void {
    const { element } = this;
    element.style.setProperty('--total-fit', '1');
    const fit = Math.min(1, element.clientWidth / Math.max(1, element.scrollWidth));
    element.style.setProperty('--total-fit', String(fit * (fit < 1 ? 0.98 : 1)));
  }
}
