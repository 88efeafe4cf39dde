import { fillText } from '../../src/common/text/fill-text.js';
import { unpackTexts } from '../kit/packed-texts.js';
import type en from './texts/en.json';
import { model } from './model.js';
import { Value } from './value.js';

export type TextName = keyof typeof en;
type Texts = Readonly<Record<TextName, string>>;

const TABLES = {
  de: () => import('./texts/de.json?packed'),
  en: () => import('./texts/en.json?packed'),
  es: () => import('./texts/es.json?packed'),
  fr: () => import('./texts/fr.json?packed'),
  it: () => import('./texts/it.json?packed'),
  nl: () => import('./texts/nl.json?packed'),
} as const;
export type Language = keyof typeof TABLES;

/** Names of the languages, each in its own language. */
export const LANGUAGES: Readonly<Record<Language, string>> = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
};

let table: Texts;

/** Current locale, used to format numbers and money. */
export const locale = new Value(model.locale);

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.keys(TABLES).includes(text);

/** Language that the server chose for this browser. */
export const ownLanguage: Language = isLanguage(model.language) ? model.language : 'en';

/** Adds the region of the first tag of this language, for example de-CH. Returns the language if there is no such tag. */
const regional = (language: Language, tags: readonly string[]): string =>
  tags.find((tag) => tag.startsWith(`${language}-`)) ?? language;

export async function speak(language: Language): Promise<void> {
  table = unpackTexts((await TABLES[language]()).default) as Texts;
  document.documentElement.lang = language;
  locale.set(regional(language, [model.locale, ...navigator.languages]));
}

/** Returns a text and replaces each `{name}` in it by its value. */
export const t = (name: TextName, values: Readonly<Record<string, string | number>> = {}): string =>
  fillText(table[name], values);

/**
 * Returns the plural form of a text, `records.one` or `records.other`. All offered languages have exactly
 * these two forms.
 */
export function counted(name: string, count: number): string {
  const form = new Intl.PluralRules(locale.now).select(count) === 'one' ? 'one' : 'other';
  return t(`${name}.${form}` as TextName, { count: new Intl.NumberFormat(locale.now).format(count) });
}
