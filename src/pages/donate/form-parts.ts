import { type Html, html } from '../html.js';

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
