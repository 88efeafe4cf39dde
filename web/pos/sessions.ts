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
  /** True if the session has ended on the server. The member can still record, but nothing is sent before a sign-in. */
  readonly ended?: true;
}

const META = 'session';

/** The session of the signed-in member. All tabs share it, and it is stored for a restart. */
export class Sessions {
  readonly session = new Value<Session | null>(null);
  private readonly tabs: Tabs;

  constructor(private readonly database: Database) {
    this.tabs = tabs('pos-session', () => void this.load().catch(() => undefined));
  }

  async load(): Promise<void> {
    this.session.set((await this.database.read(['meta'], (tx) => tx.get<Session>('meta', META))) ?? null);
  }

  /** @param eventId id or slug of the event; undefined if the member is assigned to only one open event */
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

  /** Loads the event and its settings again. If the server does not answer, the values stay unchanged. */
  async refresh(): Promise<void> {
    const before = this.session.now;
    if (!before || before.ended) return;
    const read = await readEvent(before.event.id, before.token).catch(() => undefined);
    if (read && JSON.stringify({ ...before, ...read }) !== JSON.stringify(before))
      await this.amend(before.token, read);
  }

  /** Call it when the server refused this token. Ignored if the session has a newer token meanwhile. */
  async ended(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.amend(token, { ended: true });
  }

  async signOut(): Promise<void> {
    const { now } = this.session;
    await this.keep(null);
    // Ignores errors: without a network the token stays valid until it expires, but this terminal has deleted it.
    if (now && !now.ended)
      await ask('/auth/logout', { method: 'POST', token: now.token }).catch(() => undefined);
  }

  /** Changes the stored session, unless another tab has stored a session with another token. */
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

/** True if the error means that the session has ended. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
