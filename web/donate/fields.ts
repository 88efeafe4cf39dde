import { fillText } from '../../src/common/text/fill-text.js';
import { coveringFee } from '../../src/payments/intents/covered-fee.js';
import { parseAmount, shortMoney } from '../../src/pages/donate/amount.js';
import { ADDRESS_FIELDS, addressProblem, hasAddress } from '../../src/pages/donate/address-problem.js';
import {
  hasTribute,
  TRIBUTE_FIELDS,
  tributeOf,
  tributeProblem,
} from '../../src/pages/donate/tribute-problem.js';
import type { FormModel } from '../../src/pages/donate/donate-form.js';
import type { Draft } from './checkout.js';

const TEXTS = ['name', 'email', 'message'] as const;
/** Fields of the Gift Aid declaration, of the address and of the tribute. */
const MORE = ['firstName', 'lastName', ...ADDRESS_FIELDS, ...TRIBUTE_FIELDS] as const;

type TextField = (typeof TEXTS)[number] | (typeof MORE)[number];
type Words = Readonly<Record<string, string>>;

export const fill = (text: string | undefined, values: Words = {}): string => fillText(text ?? '', values);

type TypedField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** An error of the form: the text, and the field that caused it. */
export interface Problem {
  text: string;
  field?: TypedField | undefined;
}

const isShown = (field: TypedField | undefined): boolean => field?.closest('[hidden]') === null;

/** Reads and checks the fields of the form. */
export class Fields {
  private readonly presets: HTMLInputElement[];
  readonly amount: HTMLInputElement;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly model: FormModel,
  ) {
    this.presets = [...form.querySelectorAll<HTMLInputElement>('[name=preset]')];
    this.amount = form.querySelector<HTMLInputElement>('#amount') ?? document.createElement('input');
    // The last input applies: typing an amount clears a chosen preset, and choosing a preset clears the typed amount.
    this.amount.addEventListener('input', () => {
      if (this.amount.value.trim() !== '') for (const preset of this.presets) preset.checked = false;
    });
    for (const preset of this.presets)
      preset.addEventListener('change', () => {
        this.amount.value = '';
        this.amount.removeAttribute('aria-invalid');
      });
  }

  /** Amount that the donor pays: the donation, plus the fee if the donor covers it. */
  get sum(): number | undefined {
    const { value } = this;
    return value === undefined ? undefined : value + this.coveredFee(value);
  }

  /** Updates the text about the fee for the current amount. */
  showFee(): void {
    const { texts, fee, organization } = this.model;
    const place = this.form.querySelector<HTMLElement>('#fee');
    if (!fee || !place) return;
    const { value } = this;
    const added = value === undefined ? 0 : coveringFee(value, fee);
    const { percent = '', fixed = '' } = place.dataset;
    const sum = (value ?? 0) + added;
    const known = value === undefined ? 'Open' : '';
    const values = {
      fee: this.money(added, [added, sum]),
      organization,
      percent,
      fixed,
      total: this.money(sum, [added, sum]),
    };
    const say = (id: string, text: string | undefined) => {
      const line = place.querySelector(id);
      if (line) line.textContent = fill(text, values);
    };
    say('#coverFee-label', texts[`coverFee${known}`]);
    say('#coverFee-hint', texts[this.ticked('coverFee') ? `coverFeeHint${known}` : 'coverFeeHintOpen']);
  }

  private coveredFee(value: number): number {
    return this.model.fee && this.ticked('coverFee') ? coveringFee(value, this.model.fee) : 0;
  }

  private ticked(name: string): boolean {
    return this.form.querySelector<HTMLInputElement>(`[name=${name}]`)?.checked ?? false;
  }

  /** Amount in minor units; undefined if it is missing or not allowed. */
  get value(): number | undefined {
    const typed = this.amount.value.trim();
    const chosen = this.presets.find(({ checked }) => checked)?.value;
    const amount = typed !== '' ? this.parsed(typed) : chosen === undefined ? undefined : Number(chosen);
    if (amount === undefined || amount < this.model.min || amount > (this.model.max ?? Infinity))
      return undefined;
    return amount;
  }

  private parsed(typed: string): number | undefined {
    const { currency, exponent, locale } = this.model;
    return parseAmount(typed, exponent, currency, locale);
  }

  /** @param group amounts that stand side by side with the amount */
  money(amount: number, group?: readonly number[]): string {
    const { currency, exponent, locale } = this.model;
    return shortMoney(amount, currency, exponent, locale, group);
  }

  draft(): Draft {
    return {
      preset: this.presets.find(({ checked }) => checked)?.value ?? '',
      amount: this.amount.value,
      name: this.text('name'),
      email: this.text('email'),
      message: this.text('message'),
      anonymous: this.box?.checked ?? false,
      hideAmount: this.amountBox?.checked ?? false,
      more: this.texts(MORE),
      tributeKind: this.tributeKind,
      giftAid: this.ticked('giftAid'),
      coverFee: this.ticked('coverFee'),
      source: this.source?.value ?? '',
      team: this.team,
    };
  }

  restore(draft: Draft): void {
    for (const preset of this.presets) preset.checked = preset.value === draft.preset;
    this.amount.value = draft.amount;
    for (const name of [...TEXTS, ...MORE]) {
      const field = this.field(name);
      const kept: Readonly<Record<string, unknown>> = { ...draft.more, ...draft };
      const value = kept[name] ?? '';
      // A country stays preselected.
      if (field && typeof value === 'string' && (value !== '' || name !== 'country')) field.value = value;
    }
    if (this.box) this.box.checked = draft.anonymous;
    if (this.amountBox) this.amountBox.checked = draft.hideAmount ?? false;
    const kind = this.form.querySelector<HTMLInputElement>(
      `[name=tributeKind][value=${draft.tributeKind === 'honour' ? 'honour' : 'memory'}]`,
    );
    if (kind) kind.checked = true;
    for (const name of ['giftAid', 'coverFee'] as const) {
      const box = this.form.querySelector<HTMLInputElement>(`[name=${name}]`);
      if (box) box.checked = draft[name] ?? false;
    }
    // After a return from the provider's page, the address names no source, so the form uses the kept source.
    // A source in the address replaces the kept one.
    if (this.source?.value === '') this.source.value = draft.source ?? '';
    this.unfoldAnswers();
  }

  /**
   * Opens the section about the donor if one of its fields is filled, so that the donor sees all values that
   * the form sends.
   */
  private unfoldAnswers(): void {
    const { name, email, message, more = {}, anonymous, hideAmount, giftAid } = this.draft();
    if (name || email || message || hasAddress(more) || anonymous || hideAmount || giftAid)
      this.form.querySelector('#about')?.setAttribute('open', '');
    if (hasTribute(more)) this.form.querySelector('#tribute')?.setAttribute('open', '');
  }

  /** Updates the sentence about the donor's name on the wall. */
  showOnWall(): void {
    const place = this.form.querySelector('#on-wall');
    const name = this.text('name');
    const { texts } = this.model;
    if (place)
      place.textContent =
        name === '' || this.box?.checked
          ? (texts['onWall.anonymous'] ?? '')
          : fill(texts['onWall.name'], { name });
  }

  /** Disables the fields while the result of a payment is unknown. */
  lock(locked: boolean): void {
    for (const part of this.form.querySelectorAll('fieldset')) part.disabled = locked;
  }

  /** Returns the first error of the form; undefined if all fields are valid. */
  problem(): Problem | undefined {
    const typed = this.amount.value.trim();
    const chosen = this.presets.some(({ checked }) => checked);
    if (typed === '' && !chosen) return this.wrong('amountMissing', this.presets[0] ?? this.amount);
    const wrongAmount = this.amountProblem();
    if (wrongAmount) return wrongAmount;
    for (const name of TEXTS) {
      const field = this.field(name);
      if (field?.getAttribute('aria-required') === 'true' && field.value.trim() === '')
        return this.wrong(`${name}Missing`, field);
    }
    const details = this.detailsProblem() ?? tributeProblem(this.texts(TRIBUTE_FIELDS));
    if (details) return this.wrong(details.key, this.field(details.field));
    const email = this.text('email');
    if (email !== '' && !/^\S+@\S+\.\S+$/.test(email)) return this.wrong('emailInvalid', this.field('email'));
    return undefined;
  }

  private detailsProblem(): { key: string; field: TextField } | undefined {
    const more = this.shownDetails();
    const declares = this.ticked('giftAid');
    if (declares && !more['firstName']) return { key: 'firstNameMissing', field: 'firstName' };
    if (declares && !more['lastName']) return { key: 'lastNameMissing', field: 'lastName' };
    const line = this.field('line1');
    const isNeeded = isShown(line) && line?.getAttribute('aria-required') === 'true';
    return declares || isNeeded || hasAddress(more) ? addressProblem(more) : undefined;
  }

  /** Shows the fields of the Gift Aid declaration if its box is checked. */
  showGiftAid(): void {
    const place = this.form.querySelector<HTMLElement>('#giftAid-fields');
    if (place) place.hidden = !this.ticked('giftAid');
  }

  /**
   * Returns the error of the typed amount; undefined if it is valid or empty.
   * @param isTyping if true, only an amount above the limit is an error, because the donor may continue to type
   */
  amountProblem(isTyping = false): Problem | undefined {
    const { min, max, exponent } = this.model;
    const typed = this.amount.value.trim();
    const amount = typed === '' ? min : this.parsed(typed);
    if (max !== null && amount !== undefined && amount > max)
      return this.wrong('amountTooLarge', this.amount, { max: this.money(max) });
    if (isTyping) return undefined;
    if (amount === undefined)
      return this.wrong('amountInvalid', this.amount, { example: this.money(25 * 10 ** exponent) });
    if (amount < min) return this.wrong('amountTooSmall', this.amount, { min: this.money(min) });
    return undefined;
  }

  /** Selects an amount: its preset if there is one, otherwise as a typed amount. */
  choose(amount: number): void {
    const preset = this.presets.find(({ value }) => value === String(amount));
    for (const one of this.presets) one.checked = one === preset;
    this.amount.value = preset ? '' : this.typed(amount);
    (preset ?? this.amount).focus();
    this.form.dispatchEvent(new Event('change'));
  }

  /** Returns an amount as the donor would type it. */
  private typed(amount: number): string {
    const { exponent, locale } = this.model;
    return new Intl.NumberFormat(locale, {
      useGrouping: false,
      minimumFractionDigits: amount % 10 ** exponent === 0 ? 0 : exponent,
    }).format(amount / 10 ** exponent);
  }

  private wrong(key: string, field?: Problem['field'], values?: Words): Problem {
    return { text: fill(this.model.texts[`error.${key}`], values), field };
  }

  /** Returns the body of `POST /donations/intent`. Unchanged fields give exactly the same text. */
  body(amount: number, provider: string, checkoutId: string): string {
    const { slug, currency, pledge, donorLocale: locale } = this.model;
    const { name, email, message, anonymous, hideAmount, giftAid, source, team } = this.draft();
    const { firstName, lastName, ...address } = this.shownDetails();
    const tribute = tributeOf(this.texts(TRIBUTE_FIELDS), this.tributeKind);
    const textDigest = this.form.querySelector<HTMLInputElement>('[name=giftAidText]')?.value;
    const covered = this.coveredFee(amount);
    const donor = { donorName: name, donorEmail: email, message, isAnonymous: anonymous };
    const details = {
      locale,
      ...(hasAddress(address) && { address }),
      ...(hideAmount && { isAmountHidden: hideAmount }),
      ...(tribute && { tribute }),
      ...(giftAid && { giftAid, giftAidDeclaration: { firstName, lastName, textDigest } }),
      ...(covered > 0 && { coveredFee: covered }),
      ...(source && { source }),
      ...(team && { team }),
    };
    const metadata = { eventId: slug, checkoutId, pledgeToken: pledge, ...donor, ...details };
    return JSON.stringify({ amount: amount + covered, currency, method: 'card', provider, metadata });
  }

  private get box(): HTMLInputElement | null {
    return this.form.querySelector<HTMLInputElement>('[name=anonymous]');
  }

  private get amountBox(): HTMLInputElement | null {
    return this.form.querySelector<HTMLInputElement>('[name=hideAmount]');
  }

  private get tributeKind(): string | undefined {
    return this.form.querySelector<HTMLInputElement>('[name=tributeKind]:checked')?.value;
  }

  private get source(): HTMLInputElement | null {
    return this.form.querySelector<HTMLInputElement>('[name=from]');
  }

  /** Address of the donation's team. The page shows its name. */
  private get team(): string | undefined {
    return this.form.querySelector<HTMLInputElement>('[name=team]')?.value;
  }

  /** The typed address and the names of the declaration. The fields below an unchecked declaration are hidden. */
  private shownDetails(): Record<string, string> {
    const names = ['firstName', 'lastName', ...ADDRESS_FIELDS] as const;
    return this.texts(names.filter((name) => isShown(this.field(name))));
  }

  /** The typed texts of fields, without empty ones. */
  private texts(names: readonly TextField[]): Record<string, string> {
    return Object.fromEntries(
      names.map((name) => [name, this.text(name)] as const).filter(([, value]) => value !== ''),
    );
  }

  private field(name: TextField): TypedField | undefined {
    return this.form.querySelector<TypedField>(`#${name}`) ?? undefined;
  }

  private text(name: TextField): string {
    return this.field(name)?.value.trim() ?? '';
  }
}
