import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ROOT_FOLDER } from '../common/root-folder.js';
import { fillText } from '../common/text/fill-text.js';

/** The texts of the pages: `web/<page>/texts/<language>.json`. A further language is a further file. */
const BUILT = new URL('dist/web/texts/', ROOT_FOLDER);
export const FALLBACK_LANGUAGE = 'en';

export type Texts = Readonly<Record<string, string>>;

const tables = new Map<string, ReadonlyMap<string, Texts>>();

function tablesOf(page: string): ReadonlyMap<string, Texts> {
  let table = tables.get(page);
  if (!table) {
    const folder = new URL(`${page}/`, BUILT);
    table = new Map(
      readdirSync(folder).map((file) => [
        basename(file, '.json'),
        JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Texts,
      ]),
    );
    tables.set(page, table);
  }
  return table;
}

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;

/** A page's texts in a locale's language; English where a table or a line of it is missing. */
export function textsOf(page: string, locale: string): Texts {
  const table = tablesOf(page);
  return { ...table.get(FALLBACK_LANGUAGE), ...table.get(languageOf(locale)) };
}

/** The languages that a page has texts in. */
export const languagesOf = (page: string): string[] => [...tablesOf(page).keys()].sort();

/** The language that `textsOf` finds for a locale: whose plurals its texts follow. */
export const languageOfTexts = (page: string, locale: string): string =>
  tablesOf(page).has(languageOf(locale)) ? languageOf(locale) : FALLBACK_LANGUAGE;

/**
 * What `lang` says of a page whose texts `textsOf` found: the locale, or English where that is what is read. Numbers and dates stay
 * the locale's own.
 */
export const localeOfTexts = (page: string, locale: string): string =>
  tablesOf(page).has(languageOf(locale)) ? locale : FALLBACK_LANGUAGE;

/** Fills `{name}` of a text. */
export const fill = (text: string | undefined, values: Readonly<Record<string, string | number>>): string =>
  fillText(text ?? '', values);

/**
 * The locale to show a page in: what the address asks for, else what the browser prefers, among those that the
 * charity supports; else its default.
 */
export function chooseLocale(
  { default: preferred, supported }: { readonly default: string; readonly supported: readonly string[] },
  asked: unknown,
  acceptLanguage: string | undefined,
): string {
  const offered = new Map([...supported, preferred].map((locale) => [languageOf(locale), locale]));
  const wanted = [
    ...(typeof asked === 'string' ? [asked] : []),
    ...(acceptLanguage ?? '')
      .split(',')
      .map((part) => part.trim().split(';q='))
      .sort(([, a = '1'], [, b = '1']) => Number(b) - Number(a))
      .map(([locale = '']) => locale),
  ];
  for (const locale of wanted) {
    const found = offered.get(languageOf(locale));
    if (found) return found;
  }
  return preferred;
}
