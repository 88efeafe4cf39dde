import { stayAwake } from '../kit/stay-awake.js';
import { fill } from './fields.js';

/*
 * A kiosk is a tablet at which many donors give one after the other (`?kiosk=1`). It starts again after each donation and after an
 * abandoned form, and keeps nothing that the next donor could see. The tab stays a kiosk until `?kiosk=0`, also after the page of
 * a bank.
 */

/** Where the kiosk starts again: the form with the first language and source. */
const PLACE = 'kiosk';
/** Storage of the donate page: the checkout of this tab, and the donation that was just made. */
const OF_DONORS = /^donated?:/;
const FINISHED_SECONDS = 20;
const MORE_SECONDS = 60;
const IDLE_MS = 100_000;
const ACTIVITY = ['pointerdown', 'keydown', 'input'] as const;

type Texts = Readonly<Record<string, string>>;

let home: string | null = null;

/** True if this tab is a kiosk. */
export const isKiosk = (): boolean => home !== null;

/** Reads from the address, or from the storage of the tab, whether this tab is a kiosk. */
export function readKiosk(): void {
  const query = new URLSearchParams(location.search);
  const wanted = query.get('kiosk');
  try {
    if (wanted === '1') {
      query.set('lang', document.documentElement.lang);
      sessionStorage.setItem(PLACE, `${location.pathname}?${query.toString()}`);
    }
    if (wanted === '0') sessionStorage.removeItem(PLACE);
    home = sessionStorage.getItem(PLACE);
  } catch {
    // Without storage, the kiosk could not delete the data of the donors.
  }
  if (home === null) return;
  document.documentElement.dataset['kiosk'] = '';
  stayAwake();
  // The browser shows the page again in its earlier state, with the input of an earlier donor.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) startAgain();
  });
}

/** Starts again two minutes after the last touch of a begun form. `mayEnd` is false while a payment is under way. */
export function endAbandonedForm(form: HTMLFormElement, texts: Texts, mayEnd: () => boolean): void {
  form.autocomplete = 'off';
  for (const input of form.querySelectorAll('input')) input.autocomplete = 'off';
  let idle: ReturnType<typeof setTimeout> | undefined;
  let end: (() => void) | undefined;
  const touched = () => {
    end?.();
    end = undefined;
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (mayEnd()) end = countDown(FINISHED_SECONDS, texts, touched);
      else touched();
    }, IDLE_MS);
  };
  for (const type of ACTIVITY) addEventListener(type, touched);
}

/** Starts again after the thank-you page; after an activity, the donor has more time. */
export function endThanks(isFinal: boolean, texts: Texts): void {
  let end: (() => void) | undefined;
  const begin = (seconds: number) => {
    end?.();
    end = countDown(seconds, texts, () => begin(MORE_SECONDS));
  };
  begin(isFinal ? FINISHED_SECONDS : MORE_SECONDS);
  for (const type of ACTIVITY)
    addEventListener(type, ({ target }) => {
      if (!(target instanceof Element && target.closest('.kiosk'))) begin(MORE_SECONDS);
    });
}

/**
 * Shows the remaining seconds, then starts again.
 * @param onMore runs if the donor wants more time
 * @returns a function that ends the countdown
 */
function countDown(seconds: number, texts: Texts, onMore: () => void): () => void {
  // Screen readers find the countdown as a part of its own.
  const bar = document.createElement('aside');
  bar.className = 'kiosk';
  const text = document.createElement('p');
  text.setAttribute('role', 'timer');
  const button = (label: string | undefined, quiet: boolean, act: () => void) => {
    const one = document.createElement('button');
    one.type = 'button';
    one.className = quiet ? 'button button--quiet' : 'button';
    one.textContent = label ?? '';
    one.onclick = act;
    return one;
  };
  bar.append(text, button(texts['kiosk.more'], true, onMore), button(texts['kiosk.next'], false, startAgain));
  const until = Date.now() + seconds * 1_000;
  const show = () => {
    const left = Math.ceil((until - Date.now()) / 1_000);
    text.textContent = fill(texts['kiosk.left'], { seconds: String(Math.max(left, 0)) });
    if (left <= 0) startAgain();
  };
  show();
  document.body.append(bar);
  const timer = setInterval(show, 250);
  return () => {
    clearInterval(timer);
    bar.remove();
  };
}

/** Deletes the data of the donor and opens the form. The page of the donor does not stay in the history. */
function startAgain(): void {
  for (const storage of [sessionStorage, localStorage])
    for (const key of Object.keys(storage)) if (OF_DONORS.test(key)) storage.removeItem(key);
  location.replace(home ?? location.pathname);
}
