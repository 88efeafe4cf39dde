import { useEffect, useRef, useState } from 'preact/hooks';
import { api, queryOf } from './client.js';
import { whenSeen } from '../when-seen.js';
import { isAborted } from './errors.js';

/*
 * Reads data for screens. The page keeps all answers while it is open. When the person returns to a screen,
 * the screen shows the kept answer immediately and refreshes it. `changed` refreshes all data on the screen
 * whose path begins with a given path.
 */

interface Kept {
  readonly data: unknown;
  readonly at: number;
  /** Sequence number of the request: a later request has a higher number. */
  readonly question: number;
}

const kept = new Map<string, Kept>();
const KEPT = 80;
/** Delay before a request while the person types. */
const TYPING_MS = 220;

interface Reader {
  readonly path: string;
  readonly reload: () => void;
  /** Returns true while this reader waits for an answer. */
  readonly waits: () => boolean;
}
const readers = new Set<Reader>();

export interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | undefined;
  readonly loading: boolean;
  /** Time at which `data` was current. */
  readonly at: number | undefined;
  readonly reload: () => void;
}

/**
 * Call it after a write: loads the data below these paths again. The screen shows the old data while the new
 * data loads.
 */
export function changed(...paths: readonly string[]): void {
  for (const reader of outdated(...paths)) reader.reload();
}

/**
 * Refreshes the data below these paths. Skips data for which a request is already open, because a second request would
 * cancel the first one, and on a slow network no answer would arrive.
 */
export function lookAgain(...paths: readonly string[]): void {
  for (const reader of outdated(...paths)) if (!reader.waits()) reader.reload();
}

/**
 * Marks all stored answers below these paths as outdated. Deletes the answers that the screen does not show, and returns the
 * readers of the answers that it shows.
 */
export function outdated(...paths: readonly string[]): readonly Reader[] {
  const isOld = (path: string) => paths.some((part) => path.startsWith(part));
  const shown = [...readers].filter((reader) => isOld(reader.path));
  const shownPaths = new Set(shown.map((reader) => reader.path));
  for (const path of [...kept.keys()]) if (isOld(path) && !shownPaths.has(path)) kept.delete(path);
  for (const path of [...asked.keys()]) if (isOld(path)) asked.delete(path);
  return shown;
}

export function forgetAll(): void {
  kept.clear();
}

interface Asked {
  readonly answer: Promise<unknown>;
  readonly abort: AbortController;
  readers: number;
}

/** Open requests. Parts of a screen that need the same data share one request. */
const asked = new Map<string, Asked>();
const SAME_MOMENT_MS = 20;
let questions = 0;

/** Reads a path and keeps the answer. If all readers stop waiting, cancels the request. */
function read<Data>(path: string, signal: AbortSignal): Promise<Data> {
  const one = asked.get(path) ?? askFor(path);
  one.readers++;
  signal.addEventListener('abort', () => {
    if (--one.readers > 0) return;
    if (asked.get(path) === one) asked.delete(path);
    one.abort.abort();
  });
  return one.answer as Promise<Data>;
}

function askFor(path: string): Asked {
  const abort = new AbortController();
  const question = ++questions;
  const answer = api<unknown>(path, { signal: abort.signal }).then((data) => {
    keep(path, data, question);
    return data;
  });
  const one = { answer, abort, readers: 0 };
  asked.set(path, one);
  setTimeout(() => {
    if (asked.get(path) === one) asked.delete(path);
  }, SAME_MOMENT_MS);
  return one;
}

function keep(path: string, data: unknown, question: number): void {
  // A later request has already been answered, so this answer is outdated.
  if ((kept.get(path)?.question ?? 0) > question) return;
  kept.delete(path);
  kept.set(path, { data, at: Date.now(), question });
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}

interface QueryOptions {
  /** Milliseconds between refreshes while the page is visible. */
  readonly every?: number;
  /** True if the path contains typed text: the request then waits for a pause in typing. */
  readonly typed?: boolean;
}

/** Reads a path for a component. Does nothing if the path is null. */
export function useQuery<Data>(
  path: string | null,
  { every, typed = false }: QueryOptions = {},
): Query<Data> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ path: string | null; error?: Error | undefined; loading: boolean }>({
    path,
    loading: path !== null,
  });
  const first = useRef(true);
  const waits = useRef(false);

  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    waits.current = true;
    setState({ path, loading: true });
    const load = () => {
      read<Data>(path, abort.signal).then(
        () => {
          if (abort.signal.aborted) return;
          waits.current = false;
          setState({ path, loading: false });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          waits.current = false;
          if (!isAborted(error)) setState({ path, loading: false, error: error as Error });
        },
      );
    };
    const pauses = typed && !first.current;
    const timer = pauses ? setTimeout(load, TYPING_MS) : undefined;
    if (!pauses) load();
    first.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [path, round]);

  useEffect(() => {
    if (path === null) return;
    const reader = { path, reload: () => setRound((before) => before + 1), waits: () => waits.current };
    readers.add(reader);
    let stop: (() => void) | undefined;
    const timer =
      every === undefined
        ? undefined
        : setInterval(() => {
            stop?.();
            if (!waits.current) stop = whenSeen(reader.reload);
          }, every);
    return () => {
      readers.delete(reader);
      clearInterval(timer);
      stop?.();
    };
  }, [path, every]);

  const found = path === null ? undefined : kept.get(path);
  const current = state.path === path;
  return {
    data: found?.data as Data | undefined,
    at: found?.at,
    error: current ? state.error : undefined,
    loading: path !== null && (!current || state.loading),
    reload: () => setRound((before) => before + 1),
  };
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly nextCursor?: string | null;
  readonly cursor?: string | null;
  readonly total?: number;
  readonly totalIsEstimate?: true;
  readonly names?: Names;
}

/** Names of people and things, by id. */
export type Names = Readonly<Record<string, string>>;

export interface List<Row> {
  readonly rows: readonly Row[];
  /** Names of the people and things in the rows, by id. */
  readonly names: Names;
  readonly total: number | undefined;
  readonly isEstimate: boolean;
  readonly loading: boolean;
  readonly loadingMore: boolean;
  readonly error: Error | undefined;
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
  readonly at: number | undefined;
}

interface Pages<Row> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly names: Names;
  readonly cursor: string | null;
  readonly total: number | undefined;
  readonly isEstimate: boolean;
  readonly at: number;
}

type Filters = Readonly<Record<string, string | number | undefined | null>>;

const PAGE = 100;

/**
 * Reads a list page by page. If the filters change, the next request waits for a pause in typing and cancels the
 * previous request. The old rows stay on the screen until the new rows arrive.
 */
export function useList<Row>(path: string | null, filters: Filters = {}): List<Row> {
  const key = path === null ? '' : path + queryOf({ limit: PAGE, ...filters });
  const [pages, setPages] = useState<Pages<Row> | undefined>();
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<{ key: string; error: Error } | undefined>();
  const [loadingMore, setLoadingMore] = useState(false);
  const abort = useRef<AbortController | undefined>(undefined);
  const first = useRef(true);

  useEffect(() => {
    if (path === null) return;
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    const load = () => {
      api<Page<Row>>(key, { signal: mine.signal }).then(
        (page) => {
          setPages((known) => (known?.key === key ? renewed(known, page) : toPages(key, [], page)));
          setFailure(undefined);
        },
        (error: unknown) => {
          if (!isAborted(error)) setFailure({ key, error: error as Error });
        },
      );
    };
    const timer = setTimeout(load, first.current ? 0 : TYPING_MS);
    first.current = false;
    setLoadingMore(false);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [key, round]);

  useEffect(() => {
    if (path === null) return;
    const reader = { path, reload: () => setRound((before) => before + 1), waits: () => false };
    readers.add(reader);
    return () => void readers.delete(reader);
  }, [path]);

  const current = pages?.key === key;
  const more = () => {
    if (!pages?.cursor || loadingMore) return;
    const { signal } = abort.current ?? new AbortController();
    setLoadingMore(true);
    const next = `${key}${key.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(pages.cursor)}`;
    api<Page<Row>>(next, { signal }).then(
      (page) => {
        setPages(toPages(key, pages.rows, page, pages));
        setLoadingMore(false);
      },
      (error: unknown) => {
        if (isAborted(error)) return;
        setLoadingMore(false);
        setFailure({ key, error: error as Error });
      },
    );
  };
  const error = failure?.key === key ? failure.error : undefined;
  // If the new filters could not be applied, the old rows and their total would look like the result.
  const shown = current || !error ? pages : undefined;
  return {
    rows: shown?.rows ?? [],
    names: shown?.names ?? {},
    total: shown?.total,
    isEstimate: shown?.isEstimate ?? false,
    loading: !current && !error,
    loadingMore,
    error,
    more: current && pages.cursor !== null && failure === undefined ? more : undefined,
    reload: () => {
      setFailure(undefined);
      setRound((before) => before + 1);
    },
    at: shown?.at,
  };
}

/**
 * Puts a refreshed first page above the rows of the further pages. No row is lost or shown twice. If the first page
 * contains only new rows, rows may be missing between the two, so the list starts again.
 */
function renewed<Row>(known: Pages<Row>, page: Page<Row>): Pages<Row> {
  const fresh = toPages(known.key, [], page);
  const ids = new Set(fresh.rows.map(idOf));
  const lastOfFresh = known.rows.findLastIndex((row) => ids.has(idOf(row)));
  const below = lastOfFresh < 0 ? [] : known.rows.slice(lastOfFresh + 1);
  if (below.length === 0) return fresh;
  const names = { ...known.names, ...fresh.names };
  return { ...fresh, rows: [...fresh.rows, ...below], names, cursor: known.cursor };
}

const idOf = (row: unknown): unknown => {
  const { id, key, donationId } = row as { id?: unknown; key?: unknown; donationId?: unknown };
  return id ?? key ?? donationId ?? row;
};

const toPages = <Row>(
  key: string,
  before: readonly Row[],
  page: Page<Row>,
  known?: Pages<Row>,
): Pages<Row> => ({
  key,
  rows: [...before, ...page.data],
  names: { ...known?.names, ...page.names },
  cursor: page.nextCursor ?? page.cursor ?? null,
  total: page.total ?? known?.total,
  isEstimate: page.totalIsEstimate ?? known?.isEstimate ?? false,
  at: Date.now(),
});
