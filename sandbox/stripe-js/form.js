/* global document, CSSStyleSheet */
/* eslint-disable no-unused-vars -- used by stripe.js, which follows in the same script */
// The card form of the replacement for Stripe.js. The sandbox sends this file before stripe.js in the same script.
// The style is a constructed style sheet in a shadow tree, so the form works with a content security policy without
// `unsafe-inline`.

const FIELDS = [
  { name: 'number', label: 'Card number', autocomplete: 'cc-number', placeholder: '4242 4242 4242 4242' },
  { name: 'expiry', label: 'Expiration date', autocomplete: 'cc-exp', placeholder: 'MM / YY' },
  { name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', placeholder: 'CVC' },
];

const STYLE = `
:host { display: block; font: 16px/1.5 system-ui, sans-serif; color: inherit; }
label { display: block; margin-block-end: .75rem; font-weight: 600; }
input { display: block; box-sizing: border-box; inline-size: 100%; min-block-size: 44px; font: inherit; padding: .4rem .6rem;
  border: 1px solid #6b7280; border-radius: .4rem; background: #fff; color: #111827; }
input:focus-visible, button:focus-visible { outline: 3px solid #1d4ed8; outline-offset: 2px; }
button { min-block-size: 44px; inline-size: 100%; font: inherit; font-weight: 600; border: 0; border-radius: .4rem;
  background: #111827; color: #fff; cursor: pointer; }
[role=alert] { font-weight: 600; margin: 0; }
[role=alert]:empty { display: none; }
`;

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

function shadowOf(host) {
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  return root;
}

/**
 * Creates a form with three labelled fields. `values()` returns the input, and `problem()` returns the first error in
 * the input.
 */
function cardForm(root, onChange) {
  const alert = make('p', { role: 'alert', id: 'problem' });
  const inputs = FIELDS.map(({ name, label, ...attributes }) => {
    const input = make('input', { name, inputmode: 'numeric', 'aria-describedby': 'problem', ...attributes });
    input.addEventListener('input', () => {
      show('');
      onChange();
    });
    root.append(make('label', {}, label, input));
    return input;
  });
  root.append(alert);
  const show = (text) => {
    alert.textContent = text;
    for (const input of inputs) input.setAttribute('aria-invalid', String(text !== ''));
  };
  return {
    show,
    focus: () => inputs[0].focus(),
    values: () => Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()])),
    isEmpty: () => inputs.every((input) => input.value.trim() === ''),
    isComplete: () => inputs.every((input) => input.value.trim() !== ''),
  };
}

/** Returns the message of Stripe.js for an incomplete form. */
function problemOf({ number, expiry, cvc }) {
  const validation = (code, message) => ({ type: 'validation_error', code, message });
  if (number.replace(/\D/g, '').length < 12)
    return validation('incomplete_number', 'Your card number is incomplete.');
  if (!/^\d{2}\s*\/?\s*\d{2}$/.test(expiry))
    return validation('incomplete_expiry', "Your card's expiration date is incomplete.");
  if (!/^\d{3,4}$/.test(cvc)) return validation('incomplete_cvc', "Your card's security code is incomplete.");
  return undefined;
}
