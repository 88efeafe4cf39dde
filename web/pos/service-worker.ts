/*
 * Service worker: stores one version of the page on the terminal, so that the page starts with or without a network. The
 * worker handles only requests for the page and its files, not for records.
 */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

/** The server writes this constant above the script. */
declare const SHELL: { readonly version: string; readonly page: string; readonly files: readonly string[] };

const worker = globalThis as unknown as WorkerScope;
const PREFIX = 'pos-';
const OWN = `${PREFIX}${SHELL.version}`;
const FILES = '/assets/';

worker.addEventListener('install', (event) => event.waitUntil(keep()));

worker.addEventListener('activate', (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith(PREFIX) && name !== OWN).map((name) => caches.delete(name)),
        ),
      )
      // The worker also takes over the page that is already open, so that this page works without a network.
      .then(() => worker.clients.claim()),
  ),
);

// The page decides when a new version takes over, because this must not happen while a volunteer types.
worker.addEventListener('message', ({ data }) => {
  if (data === 'take over') void worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin || request.method !== 'GET') return;
  if (request.mode === 'navigate' && /^\/pos\/?$/.test(pathname)) event.respondWith(page(request));
  else if (pathname.startsWith(FILES)) event.respondWith(file(request));
});

/** Stores all files of this version. If one fails, the version is not installed, and the old version stays active. */
async function keep(): Promise<void> {
  const cache = await caches.open(OWN);
  const shell = await fetch(SHELL.page, { cache: 'reload', redirect: 'error' });
  const text = await shell.clone().text();
  // During an update of the servers, the page may come from a server of another version.
  if (!shell.ok || !text.includes(SHELL.version)) throw new Error('The page is of another version');
  await cache.addAll([...SHELL.files]);
  await cache.put(SHELL.page, shell);
}

async function page(request: Request): Promise<Response> {
  const kept = await (await caches.open(OWN)).match(SHELL.page);
  return kept ?? (await fetch(request));
}

/** Answers with the stored file if there is one. It is never outdated, because file names contain a digest. */
async function file(request: Request): Promise<Response> {
  const cache = await caches.open(OWN);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone()).catch(() => undefined);
  return answer;
}
