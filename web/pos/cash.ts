/** Notes and coins of a currency in minor units, largest first. For other currencies, steps of 1, 2 and 5 are used. */
const IN_USE: Readonly<Record<string, readonly number[]>> = {
  eur: [50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1],
  usd: [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 25, 10, 5, 1],
  gbp: [5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1],
  chf: [100_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5],
  cad: [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 25, 10, 5],
  aud: [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5],
  jpy: [10_000, 5_000, 2_000, 1_000, 500, 100, 50, 10, 5, 1],
  sek: [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100],
  nok: [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 100],
  dkk: [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50],
  pln: [50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1],
  czk: [500_000, 200_000, 100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100],
  kwd: [20_000, 10_000, 5_000, 1_000, 500, 250, 100, 50, 20, 10, 5],
};

export function denominations(currency: string, exponent: number): readonly number[] {
  const known = IN_USE[currency];
  if (known) return known;
  const steps: number[] = [];
  for (let power = 10 ** (exponent + 3); power >= 1; power /= 10)
    steps.push(...[5, 2, 1].map((step) => (step * power) / 10).filter((value) => Number.isInteger(value)));
  return steps.filter((value) => value >= 1);
}

/** True for a note. A donor who needs change usually paid with notes. */
const isNote = (value: number, exponent: number): boolean => value >= 5 * 10 ** exponent;

/** Suggests amounts of notes that the donor may have given, smallest first, each with the change. */
export function changeFor(
  amount: number,
  currency: string,
  exponent: number,
): { given: number; back: number }[] {
  const notes = denominations(currency, exponent).filter((value) => isNote(value, exponent));
  const given = new Set(notes.map((note) => Math.ceil(amount / note) * note));
  return [...given]
    .filter((sum) => sum > amount && sum - amount < (notes[0] ?? 0))
    .sort((a, b) => a - b)
    .slice(0, 3)
    .map((sum) => ({ given: sum, back: sum - amount }));
}
