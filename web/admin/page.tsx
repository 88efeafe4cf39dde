import { render } from 'preact';
import { App } from './app.js';
import { startLanguage } from './languages.js';
import { chosenTheme, showTheme } from './preferences.js';
import { followLinks } from './router.js';

showTheme(chosenTheme());
followLinks();
await startLanguage();
const root = document.getElementById('app');
if (root) {
  root.textContent = '';
  root.classList.remove('boot');
  render(<App />, root);
}
