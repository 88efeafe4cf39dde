/** Preferences stored in this browser: language, theme and small settings. No data about people or money. */
const NAMES = {
  language: 'desk.language',
  theme: 'desk.theme',
  keys: 'desk.keys',
  event: 'desk.event',
} as const;

export type Theme = 'auto' | 'light' | 'dark';

export function remembered(name: keyof typeof NAMES): string | null {
  try {
    return localStorage.getItem(NAMES[name]);
  } catch {
    return null;
  }
}

export function remember(name: keyof typeof NAMES, value: string): void {
  try {
    localStorage.setItem(NAMES[name], value);
  } catch {
    // If the browser cannot store the value, the default applies again after a reload.
  }
}

export function showTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const chosenTheme = (): Theme => {
  const kept = remembered('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
};
