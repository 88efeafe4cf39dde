import { postcodeProblem } from '../../common/text/postcode.js';

/** The fields of a postal address on the form. */
export const ADDRESS_FIELDS = ['line1', 'line2', 'postcode', 'city', 'country'] as const;
export type AddressField = (typeof ADDRESS_FIELDS)[number];

type Typed = Readonly<Partial<Record<AddressField, string>>>;

/** True if the donor typed a part of an address. The country alone does not count, because it is preselected. */
export const hasAddress = ({ line1, line2, postcode, city }: Typed): boolean =>
  Boolean(line1 ?? line2 ?? postcode ?? city);

/** Returns the first problem of a typed address: its text `error.<key>`, and its field. The page's script uses the same rules. */
export function addressProblem(
  typed: Typed,
): { readonly key: string; readonly field: AddressField } | undefined {
  const { line1, postcode, city, country } = typed;
  if (!line1) return { key: 'line1Missing', field: 'line1' };
  if (postcodeProblem(country ?? '', postcode ?? null) !== undefined)
    return { key: postcode ? 'postcodeInvalid' : 'postcodeMissing', field: 'postcode' };
  if (!city) return { key: 'cityMissing', field: 'city' };
  if (!country) return { key: 'countryMissing', field: 'country' };
  return undefined;
}
