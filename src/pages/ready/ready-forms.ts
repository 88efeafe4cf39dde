import type { ConsentText } from '../../pledges/cards/consent-text.js';
import { HEART } from '../donate/icons.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import type { ReadyDetails } from './ready-details.js';

/** Data for the page's script. */
export interface ReadyModel {
  readonly page: 'ready';
  /** Token of the guest's link. */
  readonly guest: string;
  readonly locale: string;
  readonly currency: string;
  /** Digest of the text that the page shows. */
  readonly textDigest: string;
  readonly publishableKey: string;
  readonly scriptUrl?: string;
  readonly texts: Readonly<
    Record<'failed' | 'invalid' | 'changed' | 'unavailable' | 'busy' | 'save', string>
  >;
}

type Ready = ReadyDetails & { readonly token: string };

/** The form that saves a card. The script of the page adds the card fields of the provider. */
export function readyForm({
  texts,
  intro,
  name,
  needsEmail,
  consent,
  failed,
}: Ready & { readonly consent: ConsentText; readonly failed: boolean }): Html {
  return html`<form class="give card ready" id="ready" novalidate>
    <h2 class="notice__title">${texts['ready.title']}</h2>
    <p class="notice__text">${fill(texts['ready.hello'], { name })} ${intro}</p>
    <p class="note note--bad" id="problem" role="alert" ${!failed && html` hidden`}>
      ${failed && texts['ready.failed']}
    </p>
    ${
      needsEmail &&
      html`<div class="field">
        <label class="field__label" for="email">${texts.email}</label>
        <input
          class="input"
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxlength="254"
          required
        />
        <p class="field__hint">${texts['ready.emailWhy']}</p>
      </div>`
    }
    <noscript><p class="note note--warn">${texts['ready.noScript']}</p></noscript>
    <div class="pay__form" id="card" aria-busy="true"><p class="soft">${texts.loading}</p></div>
    <p class="ready__consent" lang="${consent.language}">${consent.text}</p>
    <button class="button button--wide button--large" id="pay" type="submit" disabled>
      ${texts['ready.save']}
    </button>
    <p class="soft">${texts['ready.later']}</p>
  </form>`;
}

/** The saved card with its announced charges. The forms work without JavaScript. */
export function savedCard(view: Ready): Html {
  const { texts, card, terms, coming, path, token } = view;
  return html`<section class="notice card">
    ${HEART}
    <h2 class="notice__title">${texts['ready.saved.title']}</h2>
    <p class="notice__text"><strong>${card}</strong></p>
    <p class="notice__text">${terms}</p>
    ${coming.map((line) => html`<p class="notice__text">${line}</p>`)}
    <form class="withdraw" method="post" action="${path}/stop?guest=${token}">
      ${coming.length > 0 && html`<p class="notice__links"><button class="button">${texts['ready.stop.button']}</button></p>`}
    </form>
    <form class="withdraw" method="post" action="${path}/remove">
      <input type="hidden" name="guest" value="${token}" />
      <p class="notice__links">
        <a class="button button--quiet" href="${path}?guest=${token}&change=1">${texts['ready.change']}</a>
        <button class="button button--quiet">${texts['ready.remove']}</button>
      </p>
    </form>
  </section>`;
}

/** The form that stops the announced charges. */
export const stopForm = ({ texts, coming, path, token }: Ready): Html =>
  html`<section class="notice card">
    ${HEART}
    <h2 class="notice__title">${texts['ready.stop.title']}</h2>
    ${coming.map((line) => html`<p class="notice__text">${line}</p>`)}
    <p class="notice__text">${texts['ready.stop.text']}</p>
    <form class="withdraw" method="post" action="${path}/stop?guest=${token}">
      <p class="notice__links"><button class="button">${texts['ready.stop.button']}</button></p>
    </form>
  </section>`;
