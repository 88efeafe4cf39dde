import { language, setExponents, speak } from '../desk/texts.js';
import { model } from './model.js';
import { remember, remembered } from './preferences.js';
import english from './texts/en.json';

type Table = Readonly<Record<string, string>>;

/**
 * Text files of the other languages. The browser loads a file when a person chooses its language. The build writes only the
 * texts, in the order of the English keys (scripts/build-web.mjs).
 */
const OTHERS: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
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

/** Returns the texts by key. A missing text is English. */
function tableOf(texts: unknown): Table {
  const own = texts as readonly (string | null)[];
  return Object.fromEntries(Object.entries(english).map(([key, text], at) => [key, own[at] ?? text]));
}

async function use(locale: string): Promise<void> {
  const asked = locale.split('-', 1)[0] ?? '';
  const table = await OTHERS[asked]?.().catch(() => undefined);
  // If the file is missing or did not load, the page is English, and its `lang` attribute too.
  const code = table ? asked : 'en';
  // For numbers and dates, use the country of the browser's own language tag if there is one, such as de-CH.
  const regional = navigator.languages.find((tag) => tag.split('-', 1)[0] === code);
  speak(regional ?? code, table ? tableOf(table.default) : english, english);
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
