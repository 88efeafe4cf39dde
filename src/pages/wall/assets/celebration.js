import { Confetti } from './confetti.js';

const SHOWN_MS = 6_500;
/** More than this many waiting are not worth the delay: the feed has them. */
const WAITING = 3;

/** Large donations, one after the other, over everything else. */
export class Celebration {
  #queue = [];
  #shown = null;
  #timer = 0;

  constructor(root) {
    this.root = root;
    this.confetti = new Confetti(root.querySelector('canvas'));
    [this.thanks, this.amount, this.message] = ['thanks', 'amount', 'message'].map((part) =>
      root.querySelector(`#celebration-${part}`),
    );
  }

  /** `{ id, thanks, amount, message }`, ready to be shown. */
  add(one) {
    if (this.#queue.length < WAITING) this.#queue.push(one);
    if (!this.#shown) this.#next();
  }

  /** The donation was edited or hidden: what is on the screen must not say anything else. */
  update(one) {
    this.#queue = this.#queue.map((waiting) => (waiting.id === one.id ? one : waiting));
    if (this.#shown?.id === one.id) this.#show(one);
  }

  /** The donation was taken back. */
  remove(id) {
    this.#queue = this.#queue.filter((waiting) => waiting.id !== id);
    if (this.#shown?.id === id) this.#next();
  }

  #next() {
    clearTimeout(this.#timer);
    this.#shown = this.#queue.shift() ?? null;
    this.root.hidden = !this.#shown;
    if (!this.#shown) {
      this.confetti.stop();
      return;
    }
    this.#show(this.#shown);
    this.confetti.start(SHOWN_MS);
    this.#timer = setTimeout(() => this.#next(), SHOWN_MS);
  }

  #show(one) {
    this.#shown = one;
    this.thanks.textContent = one.thanks;
    this.amount.textContent = one.amount;
    this.message.textContent = one.message ?? '';
  }
}
