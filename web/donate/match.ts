import type { FormModel } from '../../src/pages/donate/donate-form.js';
import {
  firstPool,
  matchSentence,
  ownSentence,
  type PoolInWords,
} from '../../src/pages/donate/match-words.js';
import { ask } from './api.js';
import type { Fields } from './fields.js';

/** The page never shows a figure that is older than this. */
const EVERY_MS = 10_000;

/** Keeps the figures of the match pool up to date, and says what the pool adds to the chosen amount. */
export function watchMatch(model: FormModel, fields: Fields, form: HTMLFormElement): void {
  const line = form.querySelector('#match-line');
  const own = form.querySelector<HTMLElement>('#match-own');
  let pool: PoolInWords | undefined;
  let timer = 0;
  const say = (place: Element | null, text: string) => {
    // A screen reader reads a status again only if it has changed.
    if (place && place.textContent !== text) place.textContent = text;
  };
  const show = () => {
    if (pool)
      say(
        line,
        matchSentence(pool, model.texts, (amount, group) => fields.money(amount, group), model.locale),
      );
    const amount = fields.value;
    const text =
      pool && amount !== undefined
        ? ownSentence(pool, amount, model.texts, (sum, group) => fields.money(sum, group))
        : '';
    say(own, text);
    if (own) own.hidden = text === '';
  };
  const read = async () => {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      pool = firstPool(await ask<PoolInWords[]>(`/events/${model.slug}/match`));
      const place = form.querySelector<HTMLElement>('#match');
      if (place) place.hidden = !pool;
    } catch {
      // An old figure is worse than none.
      pool = undefined;
      const place = form.querySelector<HTMLElement>('#match');
      if (place) place.hidden = true;
    }
    show();
    timer = window.setTimeout(() => void read(), EVERY_MS);
  };
  form.addEventListener('input', show);
  form.addEventListener('change', show);
  document.addEventListener('visibilitychange', () => void read());
  addEventListener('focus', () => void read());
  void read();
}
