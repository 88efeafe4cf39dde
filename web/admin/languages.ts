import { language, setExponents, speak } from '../desk/texts.js';
import { model } from './model.js';
import { remember, remembered } from './preferences.js';
import english from './texts/en.json';

type Table = Readonly<Record<string, string>>;

/** One file for each language, loaded when it is needed. */
const OTHERS: Readonly<Record<string, () => Promise<{ default: Table }>>> = {
  de: () => import('./texts/de.json'),
  es: () => import('./texts/es.json'),
  fr: () => import('./texts/fr.json'),
  it: () => import('./texts/it.json'),
  nl: () => import('./texts/nl.json'),
};

/** The languages by their own names. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
};

async function use(locale: string): Promise<void> {
  const asked = locale.split('-', 1)[0] ?? '';
  const table = await OTHERS[asked]?.().catch(() => undefined);
  // English if the file is missing or did not load; `lang` then says English.
  const code = table ? asked : 'en';
  // Numbers and dates follow the reader's country if the browser names one for the language.
  const regional = navigator.languages.find((tag) => tag.split('-', 1)[0] === code);
  speak(regional ?? code, table?.default ?? english, english);
}

export async function startLanguage(): Promise<void> {
  setExponents(model.exponents);
  await use(new URLSearchParams(location.search).get('lang') ?? remembered('language') ?? model.locale);
}

export async function chooseLanguage(code: string): Promise<void> {
  remember('language', code);
  await use(code);
}

export const spokenLanguage = (): string => language.get()?.locale.split('-', 1)[0] ?? 'en';
