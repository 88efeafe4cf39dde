import { readCssColour } from './css-colour.js';
import type { BrandColours } from './palette.js';

type Variables = Readonly<Record<string, string>>;
type Given = readonly (string | undefined)[];

/** Returns the branding's colour, background and text colour, as they were entered. */
export const givenColours = (variables: Variables): Given => [
  variables['--brand-color'] ?? variables['--primary-color'],
  variables['--background-color'],
  variables['--text-color'],
];

export function readColours(given: Given): BrandColours {
  const [brand, paper, ink] = given.map((text) => (text === undefined ? undefined : readCssColour(text)));
  return { brand, paper, ink };
}
