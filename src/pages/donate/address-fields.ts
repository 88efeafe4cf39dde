import { COUNTRIES, namedCountries } from '../../common/text/postal-address.js';
import { type Html, html } from '../html.js';
import type { Texts } from '../texts.js';
import type { AddressField } from './address-problem.js';
import type { DonateView } from './donate-view.js';
import { textInput } from './form-parts.js';

/** Autofill names of the fields. */
const AUTOFILL = {
  line1: 'address-line1',
  line2: 'address-line2',
  postcode: 'postal-code',
  city: 'address-level2',
} as const;
const LENGTHS = { line1: 100, line2: 100, postcode: 20, city: 100 } as const;

/** Language of a form, and the country that is chosen at first; undefined for none. */
interface AddressView {
  readonly texts: Texts;
  readonly locale: string;
  readonly home: string | undefined;
}

type TypedAddress = Readonly<Partial<Record<AddressField, string>>>;
type AddressProblem = { readonly field?: string } | undefined;

/**
 * The fields of a postal address.
 * @param hint explanation below the title
 */
export function addressFields(
  view: AddressView,
  typed: TypedAddress,
  problem: AddressProblem,
  { hint, rule }: { hint: string; rule: 'optional' | 'required' },
): Html {
  const { texts } = view;
  const field = (name: keyof typeof AUTOFILL) =>
    textInput(name, texts[name], typed[name], {
      autofill: AUTOFILL[name],
      length: LENGTHS[name],
      isWrong: problem?.field === name,
      isRequired: rule === 'required' && (name === 'line1' || name === 'city'),
      note: name === 'line2' ? texts.optional : undefined,
    });
  return html`<fieldset class="part address" aria-describedby="address-hint">
    <legend class="field__label">
      ${texts.address}${rule === 'optional' && html` <span class="optional">${texts.optional}</span>`}
    </legend>
    <p class="field__hint" id="address-hint">${hint}</p>
    ${field('line1')} ${field('line2')}
    <div class="address__place">${field('postcode')} ${field('city')}</div>
    ${countryField(view, typed, problem)}
  </fieldset>`;
}

function countryField(
  { texts, locale, home }: AddressView,
  typed: TypedAddress,
  problem: AddressProblem,
): Html {
  const chosen = typed.country ?? home;
  return html`<div class="field">
    <label class="field__label" for="country">${texts.country}</label>
    <select
      class="input"
      id="country"
      name="country"
      autocomplete="country"
      ${problem?.field === 'country' && html`aria-invalid="true"`}
    >
      ${chosen === undefined && html`<option value="">${texts.countryChoose}</option>`}
      ${namedCountries(locale).map(
        ({ code, name }) =>
          html`<option value="${code}" ${code === chosen && html`selected`}>${name}</option>`,
      )}
    </select>
  </div>`;
}

/** The probable country of donors: that of Gift Aid, of the language, or of the currency; undefined if it is not known. */
export function homeCountry({
  event,
  settings,
  locale,
}: Pick<DonateView, 'settings' | 'locale'> & { readonly event?: DonateView['event'] }): string | undefined {
  if (settings.donation.fields.giftAid) return 'GB';
  const ofTag = (tag: string) => new Intl.Locale(tag).region;
  const ofCurrency = event?.currency.slice(0, 2).toUpperCase();
  const spoken = new Intl.Locale(locale);
  return [
    ofTag(locale),
    ofTag(settings.locales.default),
    ofCurrency,
    // English is spoken in too many countries to guess one.
    spoken.language === 'en' ? undefined : spoken.maximize().region,
  ].find((code) => code !== undefined && COUNTRIES.includes(code));
}
