import { fillText } from '../../src/common/text/fill-text.js';
import type { Donation } from './live-feed.js';
import type { WallModel } from './model.js';

const ANONYMOUS = 'Anonymous';

/** The data of a page that decides how it writes amounts and texts. */
export type FormatModel = Pick<WallModel, 'currency' | 'locale' | 'language' | 'exponents' | 'texts'>;

/** Amounts, numbers and plurals in the locale of the page. */
export class Formats {
  private readonly amounts = new Map<string, Intl.NumberFormat>();
  private readonly numbers: Intl.NumberFormat;
  private readonly percents: Intl.NumberFormat;
  private readonly plurals: Intl.PluralRules;

  constructor(private readonly model: FormatModel) {
    const { locale, language } = model;
    this.numbers = new Intl.NumberFormat(locale);
    this.percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
    this.plurals = new Intl.PluralRules(language);
  }

  text(name: string): string {
    return this.model.texts[name] ?? '';
  }

  /** Returns a text and replaces each `{name}` in it by its value. */
  fill(name: string, values: Readonly<Record<string, string>>): string {
    return fillText(this.text(name), values);
  }

  /** Number of minor units in one unit of a currency: 100 cents in a euro, 1 in a yen. */
  unitOf(currency: string): number {
    return 10 ** this.exponentOf(currency);
  }

  /** Returns the amount of a donation, or a heart if the donor hides it. */
  amount({ amount, currency }: { amount: number | null; currency: string }): string {
    return amount === null ? '♥' : this.money(amount, currency);
  }

  /** Returns the line about the matched amount; empty without one. */
  matched({ amount, currency, matched }: Pick<Donation, 'amount' | 'currency' | 'matched'>): string {
    if (!matched) return '';
    if (matched === amount) return this.text('match.doubled');
    return this.fill('match.apart', { sum: this.money(matched, currency) });
  }

  /** Returns the line about the person who is honoured or remembered; empty without one. */
  tribute({ tribute }: Pick<Donation, 'tribute'>): string {
    return tribute ? this.fill(`tribute.${tribute.kind}`, { name: tribute.name }) : '';
  }

  /** Formats minor units as money. Whole amounts have no decimals, so that they are short. */
  money(amount: number, currency: string): string {
    const exponent = this.exponentOf(currency);
    const whole = amount % 10 ** exponent === 0;
    const key = `${currency}/${String(whole)}`;
    let format = this.amounts.get(key);
    if (!format) {
      format = new Intl.NumberFormat(this.model.locale, {
        style: 'currency',
        currency: currency.toUpperCase(),
        // A symbol such as `$` is clear only for the event's own currency; others get their country too.
        currencyDisplay: currency === this.model.currency ? 'narrowSymbol' : 'symbol',
        minimumFractionDigits: whole ? 0 : exponent,
        maximumFractionDigits: whole ? 0 : exponent,
      });
      this.amounts.set(key, format);
    }
    return format.format(decimal(amount, exponent) as Intl.StringNumericLiteral);
  }

  number(count: number): string {
    return this.numbers.format(count);
  }

  percent(part: number): string {
    return this.percents.format(part);
  }

  /** Returns the word for a number of donors, in the correct plural form. */
  donors(count: number): string {
    return this.plural('donors', count);
  }

  plural(name: string, count: number): string {
    return this.text(`${name}.${this.plurals.select(count)}`) || this.text(`${name}.other`);
  }

  isNamed(donorName: string): boolean {
    return donorName !== ANONYMOUS;
  }

  donorName(name: string): string {
    return this.isNamed(name) ? name : this.text('anonymous');
  }

  private exponentOf(currency: string): number {
    return this.model.exponents[currency] ?? 2;
  }
}

/** Converts minor units to a decimal text: `12345, 2` → `"123.45"`. A division could lose digits of large amounts. */
function decimal(amount: number, exponent: number): string {
  if (exponent === 0) return String(amount);
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
