/** A postcode of the United Kingdom, as the Post Office writes it: `SW1A 1AA`. */
const UK_POSTCODE = /^(GIR 0AA|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2})$/;
/** The United Kingdom, Jersey, Guernsey and the Isle of Man have postcodes of the same form. */
const UK_FORM = new Set(['GB', 'GG', 'IM', 'JE']);

/** Writes a postcode as its country does: in the United Kingdom in upper case, with one space. */
export function tidyPostcode(country: string, postcode: string): string {
  if (!UK_FORM.has(country)) return postcode;
  const letters = postcode.toUpperCase().replace(/\s/g, '');
  return letters.length > 3 ? `${letters.slice(0, -3)} ${letters.slice(-3)}` : letters;
}

/** @returns the problem of a postcode as the end of a sentence; undefined if there is none */
export function postcodeProblem(country: string, postcode: string | null): string | undefined {
  if (!UK_FORM.has(country)) return undefined;
  return postcode !== null && UK_POSTCODE.test(tidyPostcode(country, postcode))
    ? undefined
    : 'must be a United Kingdom postcode such as SW1A 1AA';
}
