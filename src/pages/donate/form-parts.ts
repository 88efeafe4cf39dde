import { type Html, html } from '../html.js';

interface InputOptions {
  readonly autofill: string;
  readonly length: number;
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  /** Note after the label, such as "(optional)". */
  readonly note?: string | undefined;
}

/** A text field with a label. */
export const textInput = (
  name: string,
  label: string | undefined,
  typed: string | undefined,
  { autofill, length, isWrong, isRequired, note }: InputOptions,
): Html =>
  html`<div class="field">
    <label class="field__label" for="${name}"
      >${label}${note !== undefined && html` <span class="optional">${note}</span>`}</label
    >
    <input
      class="input"
      id="${name}"
      name="${name}"
      autocomplete="${autofill}"
      maxlength="${length}"
      value="${typed}"
      ${isRequired && html`aria-required="true"`}
      ${isWrong && html`aria-invalid="true"`}
    />
  </div>`;

/** A checkbox with a label and an explanation. */
export const checkBox = (
  name: string,
  typed: string | undefined,
  label: string | undefined,
  hint: string | undefined,
): Html =>
  html`<label class="check"
    ><input
      type="checkbox"
      name="${name}"
      value="yes"
      aria-describedby="${name}-hint"
      ${typed && html`checked`}
    /><span
      ><span id="${name}-label">${label}</span
      ><span class="field__hint" id="${name}-hint">${hint}</span></span
    ></label
  >`;
