import '../kit/older-browsers.js';
import { render } from 'preact';
import { App } from './app.js';
import { startLanguage } from './languages.js';
import { chosenTheme, showTheme } from './preferences.js';
import { followLinks } from './router.js';

async function start(): Promise<void> {
  showTheme(chosenTheme());
  followLinks();
  await startLanguage();
  const root = document.getElementById('app');
  if (!root) return;
  root.textContent = '';
  root.classList.remove('boot');
  render(<App />, root);
}

void start();
