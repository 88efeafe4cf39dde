import type { Settings } from '../../settings/settings.js';
import { type Html, html } from '../html.js';
import { fill, localeOfTexts } from '../texts.js';
import type { DonateView, FormProblem, TypedFields } from './donate-view.js';
import { addressFields, homeCountry } from './address-fields.js';
import { hasAddress } from './address-problem.js';
import { TRIBUTE_FIELDS } from './tribute-problem.js';
import { checkBox } from './form-parts.js';
import { giftAidBox } from './gift-aid-box.js';

type Question = 'name' | 'email' | 'message' | 'address';

/** A question about the donor: the rule of the event, and the typed or known answer. */
interface Asked {
  readonly view: DonateView;
  readonly typed: TypedFields;
  readonly problem: FormProblem | undefined;
  readonly rule: Settings['donation']['fields']['donorName'];
}

/**
 * The questions about the donor, in a folded part of the form. The title lists the questions and shows the
 * donor's name as the wall will show it. So the donor sees every choice before the part is unfolded. The part
 * is unfolded from the start if an answer is required, wrong or already known.
 * @returns undefined if the event asks no question about the donor
 */
export function aboutYou(
  view: DonateView,
  typed: TypedFields,
  problem: FormProblem | undefined,
): Html | undefined {
  const { settings, texts, locale } = view;
  const { fields } = settings.donation;
  const asked = QUESTIONS.filter(({ setting }) => fields[setting] !== 'hidden');
  const listed = [...asked.map(({ name }) => name), ...(fields.giftAid ? ['giftAid'] : [])];
  if (listed.length === 0) return undefined;
  const isRequired = asked.some(({ setting }) => fields[setting] === 'required');
  const isAnswered = asked.some(({ name }) => typed[name] !== undefined) || hasAddress(typed);
  const isWrong =
    problem?.field !== undefined &&
    problem.field !== 'amount' &&
    !TRIBUTE_FIELDS.some((field) => field === problem.field);
  const isOpen =
    isRequired || isAnswered || isWrong || Boolean(typed.giftAid ?? typed.anonymous ?? typed.hideAmount);
  const list = new Intl.ListFormat(localeOfTexts('donate', locale), { type: 'unit' }).format(
    listed.map((item) => texts[`about.${item}`] ?? ''),
  );
  const asksName = asked.some(({ name }) => name === 'name');
  return html`<fieldset class="part" id="donor">
    <details class="fold about" id="about" ${isOpen && html`open`}>
      <summary>
        <span
          ><span class="about__title">${texts.aboutYou}</span>
          ${!isRequired && html`<span class="field__hint">${fill(texts['about.optional'], { list })}</span>`}
          ${asksName && html`<span class="field__hint" id="on-wall">${onWall(view, typed)}</span>`}</span
        >
      </summary>
      <div class="part about__fields">
        ${asked.map(({ setting, draw }) => draw({ view, typed, problem, rule: fields[setting] }))}
        ${!asksName && amountBox({ view, typed })} ${fields.giftAid && giftAidBox(view, typed, problem)}
      </div>
    </details>
  </fieldset>`;
}

/** Returns the sentence about the donor's name on the wall. The page's script keeps the sentence current. */
const onWall = ({ texts }: DonateView, { name, anonymous }: TypedFields): string =>
  name === undefined || anonymous ? (texts['onWall.anonymous'] ?? '') : fill(texts['onWall.name'], { name });

const forCharity = ({ settings }: DonateView, text: string | undefined): string =>
  fill(text, { organization: settings.organization });

const label = ({ view, rule }: Asked, question: Question, text: string | undefined): Html =>
  html`<label class="field__label" for="${question}"
    >${text}${rule === 'optional' && html` <span class="optional">${view.texts.optional}</span>`}</label
  >`;

const marks = ({ rule, problem }: Asked, question: Question): Html =>
  html`${rule === 'required' && html`aria-required="true"`}
  ${problem?.field === question && html`aria-invalid="true"`}`;

/** The choice to hide the amount. */
const amountBox = ({ view: { texts }, typed }: Pick<Asked, 'view' | 'typed'>): Html =>
  checkBox('hideAmount', typed.hideAmount, texts.hideAmount, texts.hideAmountHint ?? '');

/** The field for the name, and below it the choices to hide the name and the amount. */
const nameField = (asked: Asked): Html =>
  html`<div class="field">
      ${label(asked, 'name', asked.view.texts.name)}
      <input
        class="input"
        id="name"
        name="name"
        autocomplete="name"
        maxlength="200"
        value="${asked.typed.name}"
        ${marks(asked, 'name')}
      />
    </div>
    ${checkBox(
      'anonymous',
      asked.typed.anonymous,
      asked.view.texts.anonymous,
      forCharity(asked.view, asked.view.texts.anonymousHint),
    )}
    ${amountBox(asked)}`;

const emailField = (asked: Asked): Html =>
  html`<div class="field">
    ${label(asked, 'email', asked.view.texts.email)}
    <input
      class="input"
      id="email"
      name="email"
      type="email"
      autocomplete="email"
      maxlength="254"
      value="${asked.typed.email}"
      aria-describedby="email-hint"
      ${marks(asked, 'email')}
    />
    <p class="field__hint" id="email-hint">${forCharity(asked.view, asked.view.texts.emailHint)}</p>
  </div>`;

const messageField = (asked: Asked): Html =>
  html`<div class="field">
    ${label(asked, 'message', asked.view.texts.messageLabel)}
    <textarea
      class="input"
      id="message"
      name="message"
      rows="3"
      maxlength="500"
      aria-describedby="message-hint"
      ${marks(asked, 'message')}
    >
${asked.typed.message}</textarea>
    <p class="field__hint" id="message-hint">
      ${
        asked.view.settings.live.moderate === 'none'
          ? asked.view.texts.messageHint
          : asked.view.texts.messageHeld
      }
    </p>
  </div>`;

const addressField = ({ view, typed, problem, rule }: Asked): Html =>
  addressFields({ ...view, home: homeCountry(view) }, typed, problem, {
    hint: forCharity(view, view.texts.addressHint),
    rule: rule === 'required' ? rule : 'optional',
  });

/** The questions in the order of the form, with their settings. */
const QUESTIONS = [
  { name: 'name', setting: 'donorName', draw: nameField },
  { name: 'email', setting: 'donorEmail', draw: emailField },
  { name: 'message', setting: 'message', draw: messageField },
  { name: 'address', setting: 'address', draw: addressField },
] as const satisfies readonly { name: Question; setting: string; draw: (asked: Asked) => Html }[];
