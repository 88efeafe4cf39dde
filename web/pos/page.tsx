import '../kit/older-browsers.js';
import { render } from 'preact';
import { App } from './app.jsx';
import { t } from './texts.js';
import { till } from './till.js';

const root = document.getElementById('app') as HTMLElement;
const ENROL = /^#enrol=([\w-]+)$/;

/** Removes the one-time code from the address, so that it is not in the history. */
function readEnrolment(): void {
  const [, code] = ENROL.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname);
  till.enrolCode.set(code);
}

async function start(): Promise<void> {
  readEnrolment();
  addEventListener('hashchange', readEnrolment);
  await till.start();
  root.replaceChildren();
  // Browsers offer locks, random keys and the service worker only with https. Without these, a record could be booked twice.
  if (!isSecureContext) render(<Plain text={t('needsHttps')} />, root);
  else render(<App />, root);
  document.documentElement.dataset['ready'] = 'true';
}

const Plain = ({ text }: { text: string }) => (
  <main class="sign-in">
    <p class="note note--bad">{text}</p>
  </main>
);

void start();
