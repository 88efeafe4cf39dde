import { fillText } from '../../src/common/text/fill-text.js';
import type { WallModel } from './model.js';

const ANONYMOUS = 'Anonymous';

/** Amounts, numbers and plurals in the wall's locale. */
export class Formats {
  private readonly amounts = new Map<string, Intl.NumberFormat>();
  private readonly numbers: Intl.NumberFormat;
  private readonly percents: Intl.NumberFormat;
  private readonly plurals: Intl.PluralRules;

  constructor(private readonly model: WallModel) {
    const { locale, language } = model;
    this.numbers = new Intl.NumberFormat(locale);
    this.percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
    this.plurals = new Intl.PluralRules(language);
  }

  text(name: string): string {
    return this.model.texts[name] ?? '';
  }

  /** A text with its `{name}` filled in. */
  fill(name: string, values: Readonly<Record<string, string>>): string {
    return fillText(this.text(name), values);
  }

  /** Minor units of the smallest whole amount: 100 cents, 1 yen. */
  unitOf(currency: string): number {
    return 10 ** this.exponentOf(currency);
  }

  /** Minor units as money; whole amounts without decimals, so that a round total is short. */
  money(amount: number, currency: string): string {
    const exponent = this.exponentOf(currency);
    const whole = amount % 10 ** exponent === 0;
    const key = `${currency}/${String(whole)}`;
    let format = this.amounts.get(key);
    if (!format) {
      format = new Intl.NumberFormat(this.model.locale, {
        style: 'currency',
        currency: currency.toUpperCase(),
        // Only the event's own currency is clear without its country.
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

  /** The word next to a number of donors; a language has up to six forms. */
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

/** `12345, 2` → `"123.45"`: a decimal string keeps every digit, unlike a division. */
function decimal(amount: number, exponent: number): string {
  if (exponent === 0) return String(amount);
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
