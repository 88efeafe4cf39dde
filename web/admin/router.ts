import { Store, useStore } from '../desk/store.js';
import { hasUnsaved, unlessUnsaved } from './unsaved.js';

export const BASE = '/admin';

export interface Place {
  /** Path below `/admin`, without slashes at its ends. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const read = (): Place => ({
  path: location.pathname.slice(BASE.length).replace(/^\/+|\/+$/g, ''),
  query: new URLSearchParams(location.search),
});

export const place = new Store<Place>(read());
/** Address of the present screen, restored when the person decides not to leave the screen. */
let here = location.pathname + location.search;

addEventListener('popstate', () => {
  const target = location.pathname + location.search;
  if (hasUnsaved() && screenOf(read().path) !== screenOf(place.get().path)) {
    history.pushState(null, '', here);
    unlessUnsaved(() => move(target, false));
    return;
  }
  here = target;
  place.set(read());
});

/** The tabs of the settings are one screen, with one set of unsaved changes. */
const screenOf = (path: string): string => (path.startsWith('settings') ? 'settings' : path);

export const usePlace = (): Place => useStore(place);

/** Returns the address of a screen, for links. */
export const href = (path: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `${BASE}${path === '' ? '' : `/${path}`}${text === '' ? '' : `?${text}`}`;
};

/** Opens a screen. Asks first if the present screen has unsaved changes, except when an address is replaced after a save. */
export function go(address: string, { replace = false } = {}): void {
  const path = new URL(address, location.origin).pathname.slice(BASE.length).replace(/^\/+|\/+$/g, '');
  if (replace || screenOf(path) === screenOf(place.get().path)) move(address, replace);
  else unlessUnsaved(() => move(address, false));
}

function move(address: string, replace: boolean): void {
  if (replace) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  const before = place.get().path;
  here = location.pathname + location.search;
  place.set(read());
  if (before.split('/')[0] !== place.get().path.split('/')[0]) scrollTo(0, 0);
}

/** Changes the filters of the current screen without a new entry in the browser history. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value);
    else query.delete(name);
  const text = query.toString();
  go(`${location.pathname}${text === '' ? '' : `?${text}`}`, { replace: true });
}

/** After a click on a link inside the dashboard, changes the screen without loading the page again. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
