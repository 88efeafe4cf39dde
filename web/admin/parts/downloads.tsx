import { isRehearsalShown } from '../../kit/rehearsal.js';
import { Icon } from '../../desk/icons.js';
import { Store, useStore } from '../../desk/store.js';
import { bytes, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { ask } from '../api/client.js';
import { isAborted } from '../api/errors.js';

interface Download {
  readonly id: number;
  readonly name: string;
  readonly received: number;
  readonly total: number | undefined;
  readonly stop: () => void;
}

const downloads = new Store<readonly Download[]>([]);
let last = 0;
const SHOW_EVERY_MS = 150;

const change = (id: number, fields: Partial<Download>): void =>
  downloads.set(downloads.get().map((one) => (one.id === id ? { ...one, ...fields } : one)));

/** Returns the file name in the answer of the server, otherwise the second argument. */
function nameOf(response: Response, otherwise: string): string {
  const header = response.headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(header)?.[1] ?? otherwise;
}

/**
 * Downloads a file and shows the progress. A link would not work, because it cannot send the access token.
 * @param body for a file that the server makes from a POST
 */
export async function download(path: string, name: string, body?: object): Promise<boolean> {
  const id = ++last;
  const abort = new AbortController();
  downloads.set([...downloads.get(), { id, name, received: 0, total: undefined, stop: () => abort.abort() }]);
  // Files contain a rehearsal only if they are asked for it.
  const isAsked = path.startsWith('/donations/export?') && isRehearsalShown();
  try {
    const response = await ask(isAsked ? `${path}&rehearsal=true` : path, {
      signal: abort.signal,
      long: true,
      ...(body && { method: 'POST', body }),
    });
    const file = nameOf(response, name);
    change(id, { name: file, total: Number(response.headers.get('content-length')) || undefined });
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let received = 0;
    let shownAt = 0;
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parts.push(part.value);
      received += part.value.length;
      if (Date.now() - shownAt > SHOW_EVERY_MS) {
        shownAt = Date.now();
        change(id, { received });
      }
    }
    save(new Blob(parts, { type: response.headers.get('content-type') ?? '' }), file);
    say(t('download.done', { name: file }));
    return true;
  } catch (error) {
    if (!isAborted(error) && !abort.signal.aborted)
      say(t('download.failed', { name, reason: error instanceof Error ? error.message : '' }), 'bad');
    return false;
  } finally {
    downloads.set(downloads.get().filter((one) => one.id !== id));
  }
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // After a minute the browser has saved the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Running downloads, each with a button to stop it. */
export function Downloads() {
  const running = useStore(downloads);
  if (running.length === 0) return null;
  return (
    <section class="downloads" aria-label={t('download.title')}>
      {running.map(({ id, name, received, total, stop }) => (
        <div key={id} class="downloads__row">
          <Icon name="download" />
          <div class="downloads__text">
            <p class="downloads__name">{name}</p>
            <progress
              class="meter meter--thin"
              aria-label={name}
              {...(total ? { value: received, max: total } : {})}
            />
            <p class="downloads__count" role="status">
              {received === 0 ? t('download.preparing') : t('download.received', { size: bytes(received) })}
            </p>
          </div>
          <button type="button" class="iconbutton" aria-label={t('download.stop', { name })} onClick={stop}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </section>
  );
}
