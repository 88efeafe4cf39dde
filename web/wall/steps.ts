import {
  labelled,
  MOST_LABELS,
  placeBoxes,
  type Thermometer,
  type Tick,
} from '../../src/milestones/thermometer.js';
import type { Formats } from './formats.js';
import { byId } from './model.js';

/** A milestone or a goal on the gauge. A goal has no title. */
export interface Step {
  readonly amount: number;
  readonly isReached: boolean;
  readonly title?: string;
  readonly short?: string;
}

/** The marks of the milestones on the gauge, and their labels below it. */
export class Steps {
  private shown: { readonly scale: Thermometer<Step>; readonly currency: string } | undefined;
  private readonly row = byId('steps');
  private readonly dots = byId('gauge-dots');

  constructor(private readonly formats: Formats) {
    const place = () => {
      this.place();
    };
    addEventListener('resize', place);
    document.fonts.addEventListener('loadingdone', place);
  }

  /** @param scale undefined for an event without milestones */
  show(scale: Thermometer<Step> | undefined, currency: string): void {
    this.shown = scale && { scale, currency };
    this.row.hidden = this.dots.hidden = scale === undefined;
    this.row.parentElement?.classList.toggle('wall__total--steps', scale !== undefined);
    this.place();
  }

  /** Measures the labels, and shows as many as fit next to each other without overlapping, the most important first. */
  private place(): void {
    if (!this.shown) return;
    const { scale } = this.shown;
    const order = labelled(scale);
    const labels = order.map((tick) => this.label(tick));
    this.row.replaceChildren(...labels);
    const { width, height } = this.row.getBoundingClientRect();
    const widths = labels.map((label) => label.getBoundingClientRect().width);
    const places = order.map(({ at }, index) => ({ at, width: widths[index] ?? 0 }));
    for (const [index, start] of placeBoxes(places, width, height * 0.25, MOST_LABELS).entries()) {
      const label = labels[index];
      if (start === undefined) label?.remove();
      else if (label) label.style.insetInlineStart = `${start}px`;
    }
    this.placeDots([...order, ...scale.ticks.filter((tick) => !order.includes(tick))]);
  }

  private placeDots(order: readonly Tick<Step>[]): void {
    const dots = order.map(({ mark }) => {
      const dot = document.createElement('span');
      dot.className = mark.isReached ? 'dot dot--reached' : 'dot';
      return dot;
    });
    this.dots.replaceChildren(...dots);
    const { width } = this.dots.getBoundingClientRect();
    const size = dots[0]?.getBoundingClientRect().width ?? 0;
    const starts = placeBoxes(
      order.map(({ at }) => ({ at, width: size })),
      width,
      size * 0.2,
    );
    for (const [index, start] of starts.entries()) {
      const dot = dots[index];
      if (start === undefined) dot?.remove();
      else if (dot) dot.style.insetInlineStart = `${start}px`;
    }
  }

  private label({ mark }: Tick<Step>): HTMLElement {
    const { formats, shown } = this;
    const label = document.createElement('p');
    label.className = 'step';
    const amount = document.createElement('span');
    amount.className = 'step__amount';
    const money = formats.money(mark.amount, shown?.currency ?? '');
    const isNext = mark === shown?.scale.next;
    amount.textContent = isNext ? formats.fill('next', { amount: money }) : money;
    if (isNext) label.classList.add('step--next');
    const title = document.createElement('bdi');
    title.className = 'step__title';
    title.textContent = mark.short ?? mark.title ?? formats.text('goal');
    label.append(amount, title);
    return label;
  }
}
