/** Amounts, numbers and plurals in the wall's locale. */
export class Formats {
  #money = new Map();

  constructor({ locale, currency, exponents, texts }) {
    this.currency = currency;
    this.locale = locale;
    this.exponents = exponents;
    this.texts = texts;
    this.number = new Intl.NumberFormat(locale);
    this.ratio = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
    this.plural = new Intl.PluralRules(locale);
  }

  /** Minor units as money; whole amounts without decimals, so that a round total stays short. */
  money(amount, currency) {
    const exponent = this.exponents[currency] ?? 2;
    const whole = amount % 10 ** exponent === 0;
    const key = `${currency}/${whole}`;
    let format = this.#money.get(key);
    if (!format) {
      format = new Intl.NumberFormat(this.locale, {
        style: 'currency',
        currency: currency.toUpperCase(),
        // Only the event's own currency is beyond doubt without its country.
        currencyDisplay: currency === this.currency ? 'narrowSymbol' : 'symbol',
        minimumFractionDigits: whole ? 0 : exponent,
        maximumFractionDigits: whole ? 0 : exponent,
      });
      this.#money.set(key, format);
    }
    return format.format(decimal(amount, exponent));
  }

  percent(part) {
    return this.ratio.format(part);
  }

  donors(count) {
    return this.plural.select(count) === 'one' ? this.texts.donor : this.texts.donors;
  }

  /** A text with `{name}` filled in. */
  fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  }

  donorName(name) {
    return name === 'Anonymous' ? this.texts.anonymous : name;
  }
}

/** `12345, 2` → `"123.45"`: a decimal string keeps every digit, a division would not. */
function decimal(amount, exponent) {
  if (exponent === 0) return String(amount);
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
