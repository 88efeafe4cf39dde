import { declarationText } from '../../gift-aid/declaration-texts.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import { addressFields, homeCountry } from './address-fields.js';
import type { DonateView, FormProblem, TypedFields } from './donate-view.js';
import { checkBox, textInput } from './form-parts.js';

/** The claim form of HM Revenue and Customs takes no more. */
const NAME_LENGTH = 35;

/**
 * The Gift Aid declaration: a check box with an explanation in the language of the page, the legal text in English, and the fields
 * that the declaration needs. The page's script hides the fields until the box is checked. If the event asks for the address anyway,
 * the declaration uses it.
 */
export function giftAidBox(view: DonateView, typed: TypedFields, problem: FormProblem | undefined): Html {
  const { settings, texts } = view;
  const { giftAidScope, fields } = settings.donation;
  const { text, digest } = declarationText(settings, giftAidScope);
  const charity = { organization: settings.organization };
  const hint = [texts.giftAidHint, giftAidScope === 'past_and_future' && texts.giftAidWide]
    .filter((one) => one !== false)
    .map((one) => fill(one, charity))
    .join(' ');
  const nameInput = (name: 'firstName' | 'lastName', autofill: string) =>
    textInput(name, texts[name], typed[name], {
      autofill,
      length: NAME_LENGTH,
      isWrong: problem?.field === name,
      isRequired: false,
    });
  return html`<div class="gift-aid part">
    ${checkBox('giftAid', typed.giftAid, texts.giftAid, hint)}
    <div class="gift-aid__text" lang="en" dir="ltr">
      ${text.split('\n').map((line) => html`<p>${line}</p>`)}
    </div>
    <input type="hidden" name="giftAidText" value="${digest.toString('hex')}" />
    <div class="part" id="giftAid-fields">
      ${nameInput('firstName', 'given-name')} ${nameInput('lastName', 'family-name')}
      ${
        fields.address === 'hidden'
          ? addressFields({ ...view, home: homeCountry(view) }, typed, problem, {
              hint: fill(texts.giftAidAddress, charity),
              rule: 'required',
            })
          : html`<p class="field__hint">${fill(texts.giftAidAddress, charity)}</p>`
      }
    </div>
  </div>`;
}
