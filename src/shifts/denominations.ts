/**
 * The notes and coins of currencies that drawers hold most, in minor units. Of any other currency every amount above
 * zero is taken: a list that lacks a coin would keep people from counting.
 */
const DENOMINATIONS: Readonly<Record<string, readonly number[]>> = {
  eur: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000],
  usd: [1, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
  gbp: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
  chf: [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 100_000],
};

export function isDenomination(currency: string, amount: number): boolean {
  const known = Object.hasOwn(DENOMINATIONS, currency) ? DENOMINATIONS[currency] : undefined;
  return known?.includes(amount) ?? amount > 0;
}
