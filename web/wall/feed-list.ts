import type { Formats } from './formats.js';
import type { Donation } from './live-feed.js';
import { byId, overlayPart } from './model.js';
import { shownLength } from './shown-length.js';

/** Minimum time for which a donation stays on the screen. */
const READABLE_MS = 1_500;
/** Placeholder for the start time of a donation that is not visible yet. */
const NOT_YET = Infinity;
/** Number of donations that the wall remembers and repeats when no new ones arrive. */
const KEPT = 200;
/** Maximum number of rows in the document. */
const ROWS = 30;
/**
 * If more donations than this number wait, the cards are small, so that more donors are visible at the same
 * time.
 */
const DENSE_FROM = 6;
/** Maximum number of waiting donations, because a donor should wait less than a minute. Others appear in the rotation. */
const WAITING = 100;
const TICK_MS = 200;
const QUIET_MS = 12_000;
const TURN_MS = 7_000;
/** Number of donations on a phone, where the page scrolls. */
const ROWS_OF_PHONE = 12;
const PHONE = matchMedia('(max-width: 640px), (max-height: 480px)');

/**
 * The donations on the screen. Each donation stays long enough to be read. Others wait, and the wall shows their number.
 * If no new donations arrive, the wall shows earlier donations again, one after the other.
 */
export class FeedList {
  /** Donations that were shown before, latest first. The first ones are visible, as many as fit. */
  private order: Donation[] = [];
  /** Waiting donations; the first is shown next. */
  private waiting: Donation[] = [];
  /** Ids of the donations on the screen, with the time since when they are visible. */
  private readonly visible = new Map<string, number>();
  private turn = 0;
  private turnedAt = 0;
  private shownAt = performance.now();
  private coveredAt: number | undefined;
  private frame = 0;
  private readonly list = byId('feed');
  private given = false;

  constructor(private readonly formats: Formats) {
    const again = () => {
      this.resize();
    };
    addEventListener('resize', again);
    document.fonts.addEventListener('loadingdone', again);
    this.list.addEventListener('animationend', ({ target }) => {
      (target as HTMLElement).classList.remove('donation--new');
    });
    setInterval(() => {
      this.tick();
    }, TICK_MS);
  }

  /** Call it when the available space has changed. */
  resize(): void {
    this.place(this.candidates());
  }

  /** @param given true if the totals contain at least one donation, even if the list has no donation yet */
  setGiven(given: boolean): void {
    this.given = given;
    this.showInvitation();
  }

  private showInvitation(): void {
    byId('empty').hidden = this.given || this.order.length + this.waiting.length > 0;
  }

  /** Replaces all donations. */
  restart(donations: readonly Donation[]): void {
    this.order = donations.slice(0, KEPT);
    this.waiting = [];
    this.turn = 0;
    this.draw();
  }

  find(id: string): Donation | undefined {
    return [...this.waiting, ...this.order].find((one) => one.id === id);
  }

  /** @param live true for a new donation, which may have to wait; a donation missed earlier is shown immediately */
  add(donation: Donation, live: boolean): void {
    if (live) this.waiting.push(donation);
    else {
      this.order.unshift(donation);
      this.shownAt = performance.now();
    }
    const late = this.waiting.splice(0, Math.max(0, this.waiting.length - WAITING));
    this.order.splice(this.visible.size, 0, ...late.reverse());
    this.draw();
  }

  get hasWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Removes and returns the waiting donations, in the order in which they would be shown. */
  takeWaiting(): Donation[] {
    const waiting = this.waiting.splice(0);
    if (waiting.length > 0) this.draw();
    return waiting;
  }

  /** Puts a donation back at its place in time, for example after a failed refund. */
  putBack(donation: Donation): void {
    const place = this.order.findIndex(({ createdAt }) => createdAt < donation.createdAt);
    if (place >= 0) this.order.splice(place, 0, donation);
    this.draw();
  }

  replace(donation: Donation): void {
    const same = (one: Donation) => (one.id === donation.id ? donation : one);
    this.order = this.order.map(same);
    this.waiting = this.waiting.map(same);
    this.draw();
  }

  remove(id: string): void {
    this.order = this.order.filter((one) => one.id !== id);
    this.waiting = this.waiting.filter((one) => one.id !== id);
    this.draw();
  }

  /** Call it when a celebration covers or uncovers the feed. The covered time does not count as visible. */
  cover(covered: boolean): void {
    const now = performance.now();
    if (covered) this.coveredAt ??= now;
    else if (this.coveredAt !== undefined) {
      for (const [id, since] of this.visible) this.visible.set(id, since + now - this.coveredAt);
      this.coveredAt = undefined;
      this.draw();
    }
  }

  /** Collects changes and draws them once per frame. */
  private draw(): void {
    if (this.frame) return;
    const draw = () => {
      this.frame = 0;
      this.order.length = Math.min(this.order.length, KEPT);
      this.place(this.candidates());
      this.release();
    };
    // A page in the background gets no animation frames. A timer keeps its list correct.
    this.frame = document.hidden ? window.setTimeout(draw, 100) : requestAnimationFrame(draw);
  }

  private tick(): void {
    if (this.waiting.length > 0) this.release();
    else this.rotate();
  }

  /** Shows waiting donations, but removes none from the screen before its minimum time. */
  private release(): void {
    if (this.coveredAt !== undefined) return;
    this.relax();
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      const before = this.turn;
      this.turn = 0;
      if (!this.place([next, ...this.candidates()], true)) {
        this.turn = before;
        this.place(this.candidates());
        break;
      }
      this.order.unshift(next);
      this.waiting.shift();
      this.shownAt = performance.now();
    }
    this.showMore();
  }

  private relax(): void {
    const dense = this.list.classList.contains('feed--dense');
    const should = dense ? this.waiting.length > 0 || !this.allRead() : this.waiting.length > DENSE_FROM;
    if (should === dense) return;
    this.list.classList.toggle('feed--dense', should);
    this.place(this.candidates());
  }

  private rotate(): void {
    const now = performance.now();
    if (this.list.classList.contains('feed--dense') && this.allRead()) this.draw();
    if (this.coveredAt !== undefined || now - this.shownAt < QUIET_MS || now - this.turnedAt < TURN_MS)
      return;
    this.turnedAt = now;
    if (this.visible.size >= this.order.length) return;
    // The newest donation keeps its place; only the others rotate.
    const seen = this.turn + Math.max(1, this.visible.size - 1);
    this.turn = seen >= this.order.length - 1 ? 0 : seen;
    this.place(this.candidates());
  }

  private candidates(): Donation[] {
    const [first, ...others] = this.order;
    return first ? [first, ...others.slice(this.turn), ...others.slice(0, this.turn)] : [];
  }

  private allRead(): boolean {
    const now = performance.now();
    return [...this.visible.values()].every((since) => now - since >= READABLE_MS);
  }

  /**
   * Puts as many donations on the screen as fit completely.
   * @param careful true to change nothing if a visible donation would disappear before its minimum time
   * @returns false if nothing was changed
   */
  private place(donations: readonly Donation[], careful = false): boolean {
    const candidates = donations.slice(0, ROWS);
    const next = this.waiting
      .filter((one) => !candidates.includes(one))
      .slice(0, ROWS - candidates.length)
      .reverse();
    const items = this.rows([...next, ...candidates]);
    for (const [index, item] of items.entries()) item.hidden = index < next.length;
    const shown = items.slice(next.length);
    const fits = this.fitting(shown);
    for (const item of shown.slice(fits)) item.hidden = true;
    const ids = new Set(candidates.slice(0, fits).map(({ id }) => id));
    const now = performance.now();
    if (careful) {
      for (const [id, since] of this.visible)
        if (!ids.has(id) && now - since < READABLE_MS && this.find(id)) return false;
    }
    for (const id of this.visible.keys()) if (!ids.has(id)) this.visible.delete(id);
    for (const id of ids) if (!this.visible.has(id)) this.visible.set(id, NOT_YET);
    queueMicrotask(() => {
      this.startTime();
    });
    this.showInvitation();
    return true;
  }

  /** Starts the visible time of new donations. Runs after the drawing, because a slow computer needs time for it. */
  private startTime(): void {
    const now = performance.now();
    for (const [id, since] of this.visible) if (since === NOT_YET) this.visible.set(id, now);
  }

  /** Number of items that fit completely. The first item always fits, if necessary with smaller text. */
  private fitting(items: readonly HTMLElement[]): number {
    if (PHONE.matches && overlayPart() === undefined) return Math.min(items.length, ROWS_OF_PHONE);
    const [first] = items;
    const height = this.list.clientHeight;
    if (!first || height === 0) return items.length;
    first.style.removeProperty('--shrink');
    for (let shrink = 0.9; first.offsetHeight > height && shrink > 0.3; shrink -= 0.1)
      first.style.setProperty('--shrink', String(shrink));
    const out = items.findIndex((item) => item.offsetTop + item.offsetHeight > height + 1);
    return out < 0 ? items.length : Math.max(1, out);
  }

  /** Returns the elements of the donations in this order, and creates missing ones. */
  private rows(donations: readonly Donation[]): HTMLElement[] {
    const old = new Map([...this.list.children].map((item) => [(item as HTMLElement).dataset.id, item]));
    const ids = new Set(donations.map(({ id }) => id));
    // Removes old rows first. Otherwise the browser would move all rows after them and restart the animation
    // of each moved row. With many new donations, all rows then stayed transparent.
    for (const [id, item] of old) if (!ids.has(id ?? '')) item.remove();
    return donations.map((donation, index) => {
      const item = (old.get(donation.id) as HTMLElement | undefined) ?? newItem(donation.id);
      this.write(item, donation);
      const current = this.list.children[index];
      if (current !== item) this.list.insertBefore(item, current ?? null);
      return item;
    });
  }

  private write(item: HTMLElement, donation: Donation): void {
    const { formats } = this;
    const set = (part: string, text: string) => {
      const element = item.querySelector<HTMLElement>(`.donation__${part}`);
      if (!element || element.textContent === text) return;
      element.textContent = text;
      element.hidden = text === '';
    };
    const name = formats.donorName(donation.donorName);
    set('name', name);
    set('amount', formats.amount(donation));
    set('matched', formats.matched(donation));
    set('tribute', formats.tribute(donation));
    set('message', donation.message ?? '');
    const longest = Math.max(...name.split(/[\s-]+/).map(shownLength));
    item.classList.toggle('donation--long-name', longest > 18 || shownLength(name) > 40);
    item.classList.toggle('donation--long-message', shownLength(donation.message ?? '') > 140);
  }

  private showMore(): void {
    const more = byId('more');
    const count = this.waiting.length;
    more.hidden = count === 0;
    if (count > 0) more.textContent = this.formats.fill('more', { count: this.formats.number(count) });
  }
}

function newItem(id: string): HTMLElement {
  const item = document.createElement('li');
  // Only a new row has the animation class, so that a later change of the row starts no animation.
  item.className = 'donation donation--new';
  item.dataset.id = id;
  const line = document.createElement('p');
  line.className = 'donation__line';
  const name = document.createElement('bdi');
  const amount = document.createElement('bdi');
  const message = document.createElement('p');
  name.className = 'donation__name';
  amount.className = 'donation__amount';
  message.className = 'donation__message';
  message.dir = 'auto';
  message.hidden = true;
  const tribute = document.createElement('p');
  tribute.className = 'donation__tribute';
  tribute.hidden = true;
  const matched = document.createElement('p');
  matched.className = 'donation__matched';
  matched.hidden = true;
  line.append(name, ' ', amount);
  item.append(line, matched, tribute, message);
  return item;
}
