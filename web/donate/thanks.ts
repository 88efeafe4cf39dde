import type { ThanksModel } from '../../src/pages/donate/thanks-page.js';
import { ApiError, ownDonation } from './api.js';
import { CheckoutStore } from './checkout.js';

/** Seconds between questions: soon at first, then at a calm pace, for as long as the page is open. */
const PAUSES = [1, 2, 2, 3, 5, 8, 15];
const LONGEST = 30;

/** Whoever came to pay a pledge, and could not, goes back to it from there. */
export const thanksQuery = (token: string, pledge: string | undefined): string =>
  `?donation=${token}${pledge === undefined ? '' : `&pledge=${pledge}`}`;

/** Asks how the donation stands until it is decided; then the server says it in full. */
export function watchDonation(model: ThanksModel): void {
  const { token, pledge, state, waits, texts } = model;
  // What the payment provider adds to the address is nobody's business, and a reload needs none of it.
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
      // Too many questions from this address: that is no lost connection, and the next pause is longer.
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

/** The device's own sheet, and the clipboard, where the browser has them. */
function offerSharing(): void {
  const place = document.querySelector<HTMLElement>('#share');
  const { url = '', text = '' } = place?.dataset ?? {};
  const device = document.querySelector<HTMLButtonElement>('#share-device');
  if (device && 'share' in navigator) {
    device.hidden = false;
    // Closed without a choice: nothing was wrong.
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
