import type { AdminSession, AdminUser } from '../../../src/auth/dto/session.dto.js';
import { Store } from '../../desk/store.js';
import { t } from '../../desk/texts.js';
import { ApiError, OfflineError, SignedOutError } from './errors.js';
import { refusalTexts } from './refusals.js';

/*
 * The session of the dashboard. The access token is only in memory; no script can read the refresh cookie. All tabs
 * share one token, so that one renewal is enough for all of them.
 */

export interface SignedIn {
  readonly phase: 'signed-in';
  readonly token: string;
  /** Time of the monotonic clock, because system clocks are often wrong, sometimes by hours. */
  readonly expiresAt: number;
  readonly user: AdminUser;
}

export type Session =
  | { readonly phase: 'starting'; readonly problem?: string }
  | { readonly phase: 'signed-out'; readonly ended: boolean }
  | SignedIn;

export const session = new Store<Session>({ phase: 'starting' });

/** The page renews the token when its remaining lifetime is shorter than this. */
const SPARE_MS = 120_000;
const RENEWING = 'desk-session';

/**
 * Each tab with a token holds this shared lock. The lock shows a tab without a token whether another tab has
 * one.
 */
const HAS_TOKEN = 'desk-has-token';
/** Maximum wait for a token from another tab: `seen` if a tab has one, `unseen` if the browser has no locks. */
const ASK_OTHERS_MS = { seen: 3_000, unseen: 120 };

type TabMessage =
  | { readonly kind: 'who' }
  /** Answer of a tab whose own token must be renewed. */
  | { readonly kind: 'no-fresh-token' }
  /** `leftMs`: remaining lifetime of the token. Tabs of the previous release do not send it. */
  | { readonly kind: 'session'; readonly answer: AdminSession; readonly leftMs?: number }
  | { readonly kind: 'signed-out' };

const tabs = new BroadcastChannel('desk-session');
/** A token from another tab, with its remaining lifetime. */
interface Handed {
  readonly answer: AdminSession;
  readonly leftMs: number;
}
const waiting = new Set<(handed?: Handed) => void>();

tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  const now = session.get();
  if (data.kind === 'who') {
    if (now.phase !== 'signed-in') return;
    tabs.postMessage(
      isFresh(now)
        ? {
            kind: 'session',
            answer: { accessToken: now.token, user: now.user },
            leftMs: now.expiresAt - performance.now(),
          }
        : { kind: 'no-fresh-token' },
    );
  } else if (data.kind === 'no-fresh-token') for (const take of waiting) take();
  else if (data.kind === 'signed-out') session.set({ phase: 'signed-out', ended: false });
  else {
    const leftMs = data.leftMs ?? lifetimeOf(data.answer.accessToken);
    for (const take of waiting) take({ answer: data.answer, leftMs });
    // Another tab signed in or renewed the token: this tab uses the same token.
    if (now.phase !== 'signed-in' || now.user.id === data.answer.user.id) adopt(data.answer, leftMs);
    else location.reload();
  }
};

const isFresh = ({ expiresAt }: Pick<SignedIn, 'expiresAt'>): boolean =>
  expiresAt - performance.now() > SPARE_MS;

/** Returns the lifetime in the token. The page needs it to renew the token before the server refuses it. */
function lifetimeOf(token: string): number {
  try {
    const [, payload = ''] = token.split('.');
    const { iat = 0, exp = 0 } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      iat?: number;
      exp?: number;
    };
    return (exp - iat) * 1_000;
  } catch {
    return SPARE_MS * 2;
  }
}

function adopt({ accessToken, user }: AdminSession, leftMs: number): void {
  const before = session.get();
  if (before.phase === 'signed-in' && before.token === accessToken) return;
  session.set({ phase: 'signed-in', token: accessToken, expiresAt: performance.now() + leftMs, user });
}

/** Stores the token after a sign-in, in this tab and in the others. */
export function begin(answer: AdminSession): void {
  const leftMs = lifetimeOf(answer.accessToken);
  adopt(answer, leftMs);
  tabs.postMessage({ kind: 'session', answer, leftMs } satisfies TabMessage);
}

/**
 * Returns a fresh access token, and renews it first if necessary.
 * @param refused a token that the server has refused
 * @throws SignedOutError
 */
export async function accessToken(refused?: string): Promise<string> {
  const now = session.get();
  if (now.phase === 'signed-in' && isFresh(now) && now.token !== refused) return now.token;
  await renew(refused);
  const renewed = session.get();
  if (renewed.phase !== 'signed-in') throw new SignedOutError(t('session.ended'));
  return renewed.token;
}

let renewing: Promise<void> | undefined;

/** Renews the token. Only one tab at a time does this. */
export const renew = (refused?: string): Promise<void> =>
  (renewing ??= alone(() => renewNow(refused)).finally(() => {
    renewing = undefined;
  }));

// Browsers offer locks only to pages with TLS or on localhost. Without locks each tab renews its own token.
const alone = (work: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request(RENEWING, work) : work();

let letGo: (() => void) | undefined;
session.subscribe(() => {
  if (!('locks' in navigator)) return;
  if (session.get().phase !== 'signed-in') {
    letGo?.();
    letGo = undefined;
  } else if (!letGo) {
    const until = new Promise<void>((resolve) => (letGo = resolve));
    void navigator.locks.request(HAS_TOKEN, { mode: 'shared' }, () => until);
  }
});

/** Number of other tabs that have a token; undefined if the browser has no locks. */
async function tabsWithToken(): Promise<number | undefined> {
  if (!('locks' in navigator)) return undefined;
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name === HAS_TOKEN).length - (letGo ? 1 : 0);
}

async function renewNow(refused: string | undefined): Promise<void> {
  const found = await fromOtherTabs(refused);
  if (found) {
    adopt(found.answer, found.leftMs);
    return;
  }
  const request = new Request('/auth/refresh', { method: 'POST', signal: AbortSignal.timeout(20_000) });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    throw new OfflineError(t('error.offline'), { cause });
  }
  const body = (await response.json().catch(() => ({}))) as AdminSession & {
    code?: string;
    message?: string;
  };
  if (response.ok) begin(body);
  else if (response.status === 401 || response.status === 403)
    session.set({ phase: 'signed-out', ended: session.get().phase === 'signed-in' });
  else
    throw new ApiError(
      response.status,
      body.code ?? '',
      refusalTexts('/auth/refresh', response.status, body).message,
      Number(response.headers.get('retry-after')) || undefined,
    );
}

async function fromOtherTabs(refused: string | undefined): Promise<Handed | undefined> {
  const others = await tabsWithToken();
  if (others === 0) return undefined;
  return new Promise((resolve) => {
    const end = (handed?: Handed) => {
      waiting.delete(take);
      clearTimeout(timer);
      resolve(handed);
    };
    let without = 0;
    const take = (handed?: Handed) => {
      if (handed && handed.answer.accessToken !== refused && handed.leftMs > SPARE_MS) end(handed);
      else if (++without === others) end();
    };
    const timer = setTimeout(() => end(), others === undefined ? ASK_OTHERS_MS.unseen : ASK_OTHERS_MS.seen);
    waiting.add(take);
    tabs.postMessage({ kind: 'who' } satisfies TabMessage);
  });
}

/** Signs out, in this tab and in the others. */
export async function signOut(): Promise<void> {
  const now = session.get();
  await fetch('/auth/logout', {
    method: 'POST',
    headers: now.phase === 'signed-in' ? { authorization: `Bearer ${now.token}` } : {},
  }).catch(() => undefined);
  session.set({ phase: 'signed-out', ended: false });
  tabs.postMessage({ kind: 'signed-out' } satisfies TabMessage);
}
