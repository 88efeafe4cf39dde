import { fill } from '../texts.js';
import { CLOCK, HEART, LOCK, QUESTION } from '../donate/icons.js';
import { type Html, html } from '../html.js';
import { type MeView, pathTo, sendButton } from './me-view.js';

/** A page with one message. */
const notice = (icon: Html, title: string | undefined, text: string, content?: Html): Html =>
  html`<section class="notice card">
    ${icon}
    <h1 class="notice__title">${title}</h1>
    <p class="notice__text">${text}</p>
    ${content}
  </section>`;

/** Asks for the e-mail address. */
export function askForm(view: MeView, wrong?: string): Html {
  const { texts, settings } = view;
  return notice(
    HEART,
    texts.title,
    fill(texts['ask.text'], { organization: settings.organization }),
    html`<form class="me__form" method="post" action="${pathTo(view)}" novalidate>
      <div class="field">
        <label class="field__label" for="email">${texts['ask.email']}</label>
        <input
          class="input"
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxlength="254"
          required
          value="${wrong}"
          aria-describedby="email-hint"
          ${wrong !== undefined && html`aria-invalid="true" aria-errormessage="problem" autofocus`}
        />
        ${wrong !== undefined && html`<p class="field__error" id="problem" role="alert">${texts['ask.wrong']}</p>`}
        <p class="field__hint" id="email-hint">${texts['ask.hint']}</p>
      </div>
      ${sendButton(texts['ask.button'], 'button button--wide')}
    </form>`,
  );
}

export const sentNotice = ({ texts }: MeView): Html =>
  notice(CLOCK, texts['sent.title'], fill(texts['sent.text'], {}));

export const limitNotice = ({ texts }: MeView): Html =>
  notice(CLOCK, texts['limit.title'], fill(texts['limit.text'], {}));

/** The page behind the link of the e-mail. Only its button uses the link. */
export const linkNotice = (view: MeView, token: string): Html =>
  notice(
    LOCK,
    view.texts['link.title'],
    fill(view.texts['link.text'], {}),
    html`<form class="notice__links" method="post" action="${pathTo(view, `/sign-in/${token}`)}">
      ${sendButton(view.texts['link.button'])}
    </form>`,
  );

export const goneNotice = (view: MeView): Html =>
  notice(
    QUESTION,
    view.texts['gone.title'],
    fill(view.texts['gone.text'], {}),
    html`<p class="notice__links">
      <a class="button" href="${pathTo(view)}">${view.texts['gone.button']}</a>
    </p>`,
  );

export const outNotice = (view: MeView): Html =>
  notice(
    HEART,
    view.texts['out.title'],
    fill(view.texts['out.text'], { organization: view.settings.organization }),
    html`<p class="notice__links">
      <a class="button button--quiet" href="${pathTo(view)}">${view.texts['gone.button']}</a>
    </p>`,
  );
