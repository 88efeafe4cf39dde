import { givenColours, readColours } from '../settings/brand-colours.js';
import { type BrandColours, paletteProperties, type Scheme } from '../settings/palette.js';

type Variables = Readonly<Record<string, string>>;

/** Maximum number of cached style sheets. This is enough, because charities have few brandings. */
const KEPT = 200;
const kept = new Map<string, string>();

export const isScheme = (name: string | undefined): name is Scheme =>
  name === 'light' || name === 'dark' || name === 'gala';

/**
 * Returns the style sheet with the colours of a page. Without a scheme, the colours depend on the device and on `data-theme`.
 */
export function stylesOf(variables: Variables, scheme: Scheme | undefined): string {
  const given = givenColours(variables);
  const key = JSON.stringify([given, scheme]);
  const found = kept.get(key);
  if (found !== undefined) return found;
  const styles = stylesFor(readColours(given), scheme);
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, styles);
  return styles;
}

/** Returns the colour of a button of the light pages and a readable text colour on it, for the charity's own website. */
export function coloursOf(variables: Variables): { readonly brand: string; readonly onBrand: string } {
  const { '--brand': brand = '', '--on-brand': onBrand = '' } = paletteProperties(
    readColours(givenColours(variables)),
    'light',
  );
  return { brand, onBrand };
}

function stylesFor(given: BrandColours, scheme: Scheme | undefined): string {
  if (scheme) return `:root{${declarations(given, scheme)}}`;
  const light = declarations(given, 'light');
  const dark = declarations(given, 'dark');
  if (light === dark) return `:root{${light}}`;
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme='light']){${dark}}}`,
    `:root[data-theme='dark']{${dark}}`,
  ].join('');
}

const declarations = (given: BrandColours, scheme: Scheme): string =>
  Object.entries(paletteProperties(given, scheme))
    .map(([name, value]) => `${name}:${value};`)
    .join('');
