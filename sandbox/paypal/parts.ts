import { paypalValue } from '../money.js';
import type { Link, Money } from './objects.js';

export function money(amount: number, currency: string): Money {
  return { currency_code: currency, value: paypalValue(amount, currency) };
}

export function link(href: string, rel: string, method = 'GET'): Link {
  return { href, rel, method };
}
