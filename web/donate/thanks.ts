import type { ThanksModel } from '../../src/pages/donate/thanks-page.js';
import { ApiError, ownDonation } from './api.js';
import { CheckoutStore } from './checkout.js';

/** Seconds between requests: short at first, then longer, while the page is open. */
const PAUSES = [1, 2, 2, 3, 5, 8, 15];
const LONGEST = 30;

/** A donor who could not pay a pledge returns to it from here. */
export const thanksQuery = (token: string, pledge: string | undefined): string =>
  `?donation=${token}${pledge === undefined ? '' : `&pledge=${pledge}`}`;

/** Asks for the state of the donation until it is final; then the server renders the page again. */
export function watchDonation(model: ThanksModel): void {
  const { token, pledge, state, waits, texts } = model;
  // Removes the parameters of the payment provider from the address: a reload needs none of them.
  history.replaceState(null, '', location.pathname + thanksQuery(token, pledge));
  if (state === 'paid' || state === 'processing') new CheckoutStore(model).paid(token);
  offerSharing();
  if (!waits) return;
  const line = document.querySelector('#polling');
  const say = (text: string) => {
    if (line && line.textContent !== text) line.textContent = text;
  };
  say(texts.polling);
  let asked = 0;
  const ask = async () => {
    try {
      const now = await ownDonation(token);
      if (now.state !== state) {
        location.reload();
        return;
      }
      say(texts.polling);
    } catch (error) {
      // A rate limit is not a lost connection; the next pause is longer.
      if (!(error instanceof ApiError)) say(texts.pollingLost);
    }
    next();
  };
  const next = () => {
    setTimeout(() => void ask(), (PAUSES[asked] ?? LONGEST) * 1_000);
    asked += 1;
  };
  next();
}

/** The share dialog of the device and the clipboard, if the browser has them. */
function offerSharing(): void {
  const place = document.querySelector<HTMLElement>('#share');
  const { url = '', text = '' } = place?.dataset ?? {};
  const device = document.querySelector<HTMLButtonElement>('#share-device');
  if (device && 'share' in navigator) {
    device.hidden = false;
    // Closed without a choice: not an error.
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
