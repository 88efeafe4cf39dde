import type { EventRecord } from '../../events/event-record.js';
import { takesPayments } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { type Html, html } from '../html.js';
import type { Texts } from '../texts.js';
import { brand, type DonateView, notice, pagePath } from './donate-view.js';
import { HEART, PAUSE, QUESTION } from './icons.js';
import { cardOf, redirectsOf } from './paying.js';

/** Returns the notice that replaces the form if the event accepts no donations on this page. */
export function noticeInstead({
  event,
  texts,
  offered,
  offersTransfer,
  pledge,
}: DonateView): Html | undefined {
  const home = html`<a class="button" href="/">${texts.home}</a>`;
  const wall = html`<a class="button button--quiet" href="/wall/${event.slug}">${texts.wall}</a>`;
  if (pledge && pledge.state !== 'open') {
    const key = `pledge.${pledge.state}`;
    const give = html`<a class="button" href="${pagePath(event)}">${texts['pledge.give']}</a>`;
    return notice(
      pledge.state === 'paid' ? HEART : QUESTION,
      texts[`${key}.title`],
      texts[`${key}.text`],
      give,
    );
  }
  if (event.status === 'paused')
    return notice(PAUSE, texts['paused.title'], texts['paused.text'], html`${home} ${wall}`);
  if (!takesPayments(event.status, { ofPledge: pledge !== undefined }))
    return notice(HEART, texts['closed.title'], texts['closed.text'], html`${home} ${wall}`);
  if (!cardOf(offered) && redirectsOf(offered).length === 0 && !offersTransfer)
    return notice(PAUSE, texts['off.title'], texts['off.text'], home);
  return undefined;
}

interface Unknown {
  readonly kind: 'noDonation' | 'archived' | 'unknown';
  readonly settings: Settings;
  readonly texts: Texts;
  /** The event of the address, if the event is public. */
  readonly event: EventRecord | undefined;
}

/** Returns the page that replaces an event or a donation which the public must not see. */
export const unknownPage = ({ kind, settings, texts, event }: Unknown): Html =>
  html`<div class="donate donate--single">
    <header class="story">${brand(settings)}</header>
    <main class="donate__main">
      <h1 class="visually-hidden">${settings.organization}</h1>
      ${notice(
        QUESTION,
        texts[`${kind}.title`],
        texts[`${kind}.text`],
        html`<a class="button" href="${event ? pagePath(event) : '/'}"
          >${event ? texts.backToEvent : texts.home}</a
        >`,
      )}
    </main>
  </div>`;
