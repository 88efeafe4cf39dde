import type { StaffSession } from '../../src/auth/dto/session.dto.js';
import type { EventDetailDto } from '../../src/events/dto/event.dto.js';
import type { EventSettingsDto } from '../../src/events/dto/event-settings.dto.js';
import { confirmAbove } from '../kit/large-amounts.js';
import { ApiError, ask } from './api.js';
import type { Database } from './database.js';
import { exponentOf } from './model.js';
import type { OpenEvent } from './records.js';
import type { Rules } from './recording.js';
import { type Tabs, tabs } from './tabs.js';
import { Value } from './value.js';

export interface Session {
  readonly token: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly event: OpenEvent;
  readonly rules: Rules;
  /** True if the session has ended on the server. The member continues to record; sending waits. */
  readonly ended?: true;
}

const META = 'session';

/** The signed-in member of this terminal, in all tabs and after restarts. */
export class Sessions {
  readonly session = new Value<Session | null>(null);
  private readonly tabs: Tabs;

  constructor(private readonly database: Database) {
    this.tabs = tabs('pos-session', () => void this.load().catch(() => undefined));
  }

  async load(): Promise<void> {
    this.session.set((await this.database.read(['meta'], (tx) => tx.get<Session>('meta', META))) ?? null);
  }

  /** @param eventId id or slug; undefined for a member who is assigned to one open event only */
  async signIn(code: string, eventId: string | undefined, device: string | undefined): Promise<Session> {
    const body = { code, ...(eventId !== undefined && { eventId }) };
    const { accessToken: token, user } = await ask<StaffSession>('/auth/staff/login', {
      method: 'POST',
      body,
      device,
    });
    const session = {
      token,
      user: { id: user.id, name: user.name },
      ...(await readEvent(user.eventId, token)),
    };
    await this.keep(session);
    return session;
  }

  /** Loads event and settings again; values that cannot be loaded stay unchanged. */
  async refresh(): Promise<void> {
    const before = this.session.now;
    if (!before || before.ended) return;
    const read = await readEvent(before.event.id, before.token).catch(() => undefined);
    if (read && JSON.stringify({ ...before, ...read }) !== JSON.stringify(before))
      await this.amend(before.token, read);
  }

  /** The server refused this token. Another one may have replaced it meanwhile. */
  async ended(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.amend(token, { ended: true });
  }

  async signOut(): Promise<void> {
    const { now } = this.session;
    await this.keep(null);
    // Best effort: without a network the token stays valid until it expires, but it is no longer on this terminal.
    if (now && !now.ended)
      await ask('/auth/logout', { method: 'POST', token: now.token }).catch(() => undefined);
  }

  /** Changes the session of this token, unless another tab has replaced it. */
  private async amend(token: string, change: Partial<Session>): Promise<void> {
    await this.database.write(['meta'], async (tx) => {
      const kept = await tx.get<Session>('meta', META);
      if (kept?.token === token) tx.put('meta', { ...kept, ...change }, META);
    });
    await this.load();
    this.tabs.announce();
  }

  private async keep(session: Session | null): Promise<void> {
    await this.database.write(['meta'], (tx) => {
      if (session) tx.put('meta', session, META);
      else tx.delete('meta', META);
    });
    this.session.set(session);
    this.tabs.announce();
  }
}

async function readEvent(id: string, token: string): Promise<Pick<Session, 'event' | 'rules'>> {
  const [event, settings] = await Promise.all([
    ask<EventDetailDto>(`/events/${id}`, { token }),
    ask<EventSettingsDto>(`/events/${id}/settings`, { token }),
  ]);
  const { presets, confirmOfflineAbove, maxOfflineAmount, undoMinutes } = settings.donation;
  const { currency } = event;
  return {
    event: { id: event.id, name: event.name, currency },
    rules: {
      presets,
      confirmAbove: confirmAbove(confirmOfflineAbove, currency, exponentOf(currency)),
      maxAmount: maxOfflineAmount,
      undoMinutes,
    },
  };
}

/** True if an error says that the session has ended. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
