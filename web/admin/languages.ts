import { language, setExponents, speak } from '../desk/texts.js';
import { unpackTexts } from '../kit/packed-texts.js';
import { model } from './model.js';
import { remember, remembered } from './preferences.js';

/** Text files by language. The browser loads a file when a person chooses its language. Each file has every key. */
const TABLES: Readonly<Record<string, () => Promise<{ default: string }>>> = {
  de: () => import('./texts/de.json?packed'),
  en: () => import('./texts/en.json?packed'),
  es: () => import('./texts/es.json?packed'),
  fr: () => import('./texts/fr.json?packed'),
  it: () => import('./texts/it.json?packed'),
  nl: () => import('./texts/nl.json?packed'),
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
  const load = Object.hasOwn(TABLES, asked) ? TABLES[asked] : undefined;
  const loaded = await load?.().catch(() => undefined);
  // If the file is missing or did not load, the page is English, and its `lang` attribute too.
  const code = loaded ? asked : 'en';
  const { default: packed } = loaded ?? (await import('./texts/en.json?packed'));
  // For numbers and dates, use the country of the browser's own language tag if there is one, such as de-CH.
  const regional = navigator.languages.find((tag) => tag.split('-', 1)[0] === code);
  speak(regional ?? code, unpackTexts(packed));
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
