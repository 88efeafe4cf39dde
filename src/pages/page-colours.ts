import { givenColours, readColours } from '../settings/brand-colours.js';
import { type EdgeTones, outlineFor, plateFor } from '../settings/logo-plate.js';
import { type BrandColours, palette, paletteProperties, type Scheme, toHex } from '../settings/palette.js';

type Logo = EdgeTones | 'unknown';
type Variables = Readonly<Record<string, string>>;

/** Maximum number of cached style sheets. This is enough, because charities have few brandings. */
const KEPT = 200;
const kept = new Map<string, string>();

export const isScheme = (name: string | undefined): name is Scheme =>
  name === 'light' || name === 'dark' || name === 'gala';

/**
 * Returns the style sheet with the colours of a page. Without a scheme, the colours depend on the device and on `data-theme`.
 * @param logo the lightness of the logo at its edges; a logo that is not visible on the page gets a plate, and an unknown logo
 * an outline
 */
export function stylesOf(variables: Variables, scheme: Scheme | undefined, logo: Logo = []): string {
  const given = givenColours(variables);
  const key = JSON.stringify([given, scheme, logo]);
  const found = kept.get(key);
  if (found !== undefined) return found;
  const styles = stylesFor(readColours(given), scheme, logo);
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

function stylesFor(given: BrandColours, scheme: Scheme | undefined, logo: Logo): string {
  if (scheme) return `:root{${declarations(given, scheme, logo)}}`;
  const light = declarations(given, 'light', logo);
  const dark = declarations(given, 'dark', logo);
  if (light === dark) return `:root{${light}}`;
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme='light']){${dark}}}`,
    `:root[data-theme='dark']{${dark}}`,
  ].join('');
}

function declarations(given: BrandColours, scheme: Scheme, logo: Logo): string {
  const { paper } = palette(given, scheme);
  const plate = logo === 'unknown' ? undefined : plateFor(logo, paper);
  const outline = logo === 'unknown' ? outlineFor(paper) : undefined;
  const all = [
    ...Object.entries(paletteProperties(given, scheme)),
    ['--logo-plate', plate ? toHex(plate) : 'transparent'],
    ['--logo-plated', plate ? '1' : '0'],
    ['--logo-outline', outline ? outlineIn(toHex(outline)) : 'none'],
  ];
  return all.map(([name = '', value = '']) => `${name}:${value};`).join('');
}

/** Returns a filter that draws a line around the visible parts of a picture. */
const outlineIn = (colour: string): string =>
  ['0.08em 0', '-0.08em 0', '0 0.08em', '0 -0.08em'].map((to) => `drop-shadow(${to} 0 ${colour})`).join(' ');
