import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ROOT_FOLDER } from '../common/root-folder.js';
import { fillText } from '../common/text/fill-text.js';

/** Folder of the built page texts. The source is `web/<page>/texts/<language>.json`. For a new language, add a file there. */
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

/** Returns a page's texts in the language of the locale. Missing files or texts are replaced by English. */
export function textsOf(page: string, locale: string): Texts {
  const table = tablesOf(page);
  return { ...table.get(FALLBACK_LANGUAGE), ...table.get(languageOf(locale)) };
}

/** Returns the languages in which a page has texts. */
export const languagesOf = (page: string): string[] => [...tablesOf(page).keys()].sort();

/** Returns the language of the texts that `textsOf` returns. This language decides the plural rules. */
export const languageOfTexts = (page: string, locale: string): string =>
  tablesOf(page).has(languageOf(locale)) ? languageOf(locale) : FALLBACK_LANGUAGE;

/**
 * Returns the value of `lang` for a page: the locale, or English if the page has no texts in its language.
 */
export const localeOfTexts = (page: string, locale: string): string =>
  tablesOf(page).has(languageOf(locale)) ? locale : FALLBACK_LANGUAGE;

/**
 * Returns the locale of amounts, times and plural forms of a page: the locale, or English as the locale's region writes it, if
 * the page has no texts in the language. Amounts and times in another language make an English page hard to read.
 */
export function localeOfFormats(page: string, locale: string): string {
  if (localeOfTexts(page, locale) === locale) return locale;
  const { region } = new Intl.Locale(locale);
  return region === undefined ? FALLBACK_LANGUAGE : `${FALLBACK_LANGUAGE}-${region}`;
}

/** Replaces each `{name}` in a text. */
export const fill = (text: string | undefined, values: Readonly<Record<string, string | number>>): string =>
  fillText(text ?? '', values);

/**
 * Chooses the locale of a page. First choice is the requested one, second the preference of the browser, if the charity
 * supports it. Otherwise the default is used.
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
