import { TRIBUTE_KINDS } from '../../donations/tributes/tribute.js';
import { type Html, html } from '../html.js';
import type { DonateView, FormProblem, TypedFields } from './donate-view.js';
import { textInput } from './form-parts.js';

const NAME_LENGTH = 80;
const MESSAGE_LENGTH = 500;

/** The folded part of the form for a donation in honour or in memory of somebody. */
export function tributeBox(view: DonateView, typed: TypedFields, problem: FormProblem | undefined): Html {
  const { texts } = view;
  const note = texts.optional;
  const isOpen = [typed.tributeName, typed.notifyEmail, typed.tributeMessage].some(
    (value) => value !== undefined,
  );
  const chosen = typed.tributeKind === 'honour' ? 'honour' : 'memory';
  return html`<fieldset class="part" id="tribute-part">
    <details class="fold about" id="tribute" ${isOpen && html`open`}>
      <summary>
        <span
          ><span class="about__title">${texts['tribute.title']}</span>
          <span class="field__hint">${texts['tribute.hint']}</span></span
        >
      </summary>
      <div class="part about__fields">
        <fieldset class="part tribute__kinds">
          <legend class="field__label">${texts['tribute.kind']}</legend>
          ${[...TRIBUTE_KINDS]
            .reverse()
            .map(
              (kind) =>
                html`<label class="check"
                  ><input
                    type="radio"
                    name="tributeKind"
                    value="${kind}"
                    ${kind === chosen && html`checked`}
                  /><span>${texts[`tribute.${kind}`]}</span></label
                >`,
            )}
        </fieldset>
        ${textInput('tributeName', texts['tribute.name'], typed.tributeName, {
          autofill: 'off',
          length: NAME_LENGTH,
          isWrong: problem?.field === 'tributeName',
          isRequired: false,
        })}
        <div class="field">
          <label class="field__label" for="notifyEmail"
            >${texts['tribute.notify']} <span class="optional">${note}</span></label
          >
          <input
            class="input"
            id="notifyEmail"
            name="notifyEmail"
            type="email"
            autocomplete="off"
            maxlength="254"
            value="${typed.notifyEmail}"
            aria-describedby="notifyEmail-hint"
            ${problem?.field === 'notifyEmail' && html`aria-invalid="true"`}
          />
          <p class="field__hint" id="notifyEmail-hint">${texts['tribute.notifyHint']}</p>
        </div>
        <div class="field">
          <label class="field__label" for="tributeMessage"
            >${texts['tribute.message']} <span class="optional">${note}</span></label
          >
          <textarea
            class="input"
            id="tributeMessage"
            name="tributeMessage"
            rows="3"
            maxlength="${MESSAGE_LENGTH}"
            aria-describedby="tributeMessage-hint"
            ${problem?.field === 'tributeMessage' && html`aria-invalid="true"`}
          >
${typed.tributeMessage}</textarea>
          <p class="field__hint" id="tributeMessage-hint">${texts['tribute.messageHint']}</p>
        </div>
      </div>
    </details>
  </fieldset>`;
}
