import type { ThanksModel } from '../../src/pages/donate/thanks-page.js';
import { ApiError, ownDonation } from './api.js';
import { CheckoutStore } from './checkout.js';
import { endThanks, isKiosk } from './kiosk.js';
import { keepRecent } from './recent.js';

/** Seconds between requests while the page is open: first short, then longer. */
const PAUSES = [1, 2, 2, 3, 5, 8, 15];
const LONGEST = 30;
/** Seconds for which the page waits for the match pools. */
const MATCH_QUESTIONS = 15;
const FINAL: ReadonlySet<string> = new Set(['paid', 'processing', 'refunded']);

/**
 * Query of the thank-you page. It contains the pledge, so that a donor whose payment failed can return to the pledge, and the
 * language and scheme of this page, because a frame of another website has no cookie with them.
 */
export function thanksQuery(token: string, pledge: string | undefined): string {
  const query = new URLSearchParams(pledge === undefined ? '' : { pledge });
  const here = new URLSearchParams(location.search);
  for (const name of ['lang', 'theme']) {
    const value = here.get(name);
    if (value !== null) query.set(name, value);
  }
  const more = query.toString();
  return `?donation=${token}${more && `&${more}`}`;
}

/** Asks for the state of the donation until it is final; then the server renders the page again. */
export function watchDonation(model: ThanksModel): void {
  const { token, pledge, state, waits, awaitsMatch, texts } = model;
  // Removes the parameters that the payment provider added to the address. A reload does not need them.
  history.replaceState(null, '', location.pathname + thanksQuery(token, pledge));
  if (state === 'paid' || state === 'processing') {
    new CheckoutStore(model).paid(token);
    if (pledge === undefined && !isKiosk()) keepRecent(model.slug, model);
  }
  if (isKiosk()) atKiosk(model);
  else {
    offerSharing();
    offerCopying();
  }
  if (awaitsMatch) awaitMatch(token);
  if (!waits) return;
  const line = document.querySelector('#polling');
  const say = (text: string) => {
    if (line && line.textContent !== text) line.textContent = text;
  };
  say(texts['polling'] ?? '');
  let asked = 0;
  const ask = async () => {
    try {
      const now = await ownDonation(token);
      if (now.state !== state) {
        location.reload();
        return;
      }
      say(texts['polling'] ?? '');
    } catch (error) {
      // An error answer, such as a rate limit, is not a lost connection.
      if (!(error instanceof ApiError)) say(texts['pollingLost'] ?? '');
    }
    next();
  };
  const next = () => {
    setTimeout(() => void ask(), (PAUSES[asked] ?? LONGEST) * 1_000);
    asked += 1;
  };
  next();
}

/** Asks until the match pools have counted the donation; then the server renders the page with the sentence about it. */
function awaitMatch(token: string, asked = 0): void {
  if (asked >= MATCH_QUESTIONS) return;
  setTimeout(() => {
    ownDonation(token).then(
      ({ match }) => {
        if (match?.state !== 'known') awaitMatch(token, asked + 1);
        else if (match.drawn > 0) location.reload();
      },
      () => {
        awaitMatch(token, asked + 1);
      },
    );
  }, 1_000);
}

/** The next donor must not save the address of this page, so the hint about it is hidden. */
function atKiosk({ state, waits, texts }: ThanksModel): void {
  const line = document.querySelector<HTMLElement>('#polling');
  if (line) line.hidden = !waits;
  endThanks(FINAL.has(state), texts);
}

/** Shows the buttons that copy the details of a bank transfer, if the browser supports them. */
function offerCopying(): void {
  if (!('clipboard' in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.onclick = () =>
      void navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
        () => {
          button.textContent = button.dataset['done'] ?? '';
          button.removeAttribute('aria-label');
        },
        () => undefined,
      );
  }
}

/** Shows buttons for the share dialog of the device and for the clipboard, if the browser supports them. */
function offerSharing(): void {
  const place = document.querySelector<HTMLElement>('#share');
  const { url = '', text = '' } = place?.dataset ?? {};
  const device = document.querySelector<HTMLButtonElement>('#share-device');
  if (device && 'share' in navigator) {
    device.hidden = false;
    // If the donor closes the dialog, the browser reports an error, which means nothing here.
    device.onclick = () => void navigator.share({ url, text }).catch(() => undefined);
  }
  const copy = document.querySelector<HTMLButtonElement>('#share-copy');
  if (!copy || !('clipboard' in navigator)) return;
  copy.hidden = false;
  copy.onclick = () =>
    void navigator.clipboard.writeText(url).then(
      () => (copy.textContent = copy.dataset['done'] ?? ''),
      () => undefined,
    );
}
