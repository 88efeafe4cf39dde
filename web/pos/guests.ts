import type { CheckedIn } from '../../src/guests/dto/check-in.dto.js';
import type { GuestList } from '../../src/guests/dto/guest-list.dto.js';
import type { TeamDto, TeamList } from '../../src/teams/dto/team.dto.js';
import { ApiError, ask } from './api.js';
import type { Database } from './database.js';
import { type Guest, keptGuest, type KeptGuest } from './guest-rows.js';
import type { Session, Sessions } from './sessions.js';
import { type Tabs, tabs } from './tabs.js';
import { Value } from './value.js';

/** A check-in, its removal, or a walk-in that the server has not answered for yet. */
export interface WaitingCheckIn {
  /** Sorts by time, so that the check-ins are sent in their order. */
  readonly key: string;
  readonly eventId: string;
  readonly guestId: string;
  readonly what: 'check-in' | 'undo' | 'walk-in';
  readonly body: Readonly<Record<string, unknown>>;
}

/** A check-in that the server refused. */
export interface RefusedCheckIn {
  readonly name: string;
  readonly code: string;
}

/** Input for a guest who was not on the list. */
export interface NewGuest {
  readonly name: string;
  readonly table: string | undefined;
  readonly paddle: string | undefined;
}

/** A table, team or person on the list of the event, without its sums. */
export type KeptTeam = Readonly<Pick<TeamDto, 'id' | 'name' | 'number'>>;

interface Meta {
  readonly eventId: string;
  readonly asOf: string;
}

const PAGE = 1_000;
const META = 'guests';
const TEAMS = 'teams';
const LOOK_EVERY_MS = 15_000;
/** An event without guests is asked less often. */
const LOOK_RARELY_MS = 60_000;
/** The whole list is read again after this time, because changes alone do not name deleted guests. */
const WHOLE_EVERY_MS = 5 * 60_000;
const LOCK = 'pos-check-ins';
/** Refusals after which the same request may succeed later. */
const PASSING = new Set([401, 408, 425, 429, 500, 502, 503, 504]);

/**
 * The guest list on this terminal, which works without network. Each check-in is stored with its time before the screen shows it, and
 * is sent later, exactly once for the server. The list is deleted when the member signs out; waiting check-ins stay until any member
 * of the event can send them.
 */
export class Guests {
  readonly list = new Value<readonly KeptGuest[]>([]);
  readonly byPaddle = new Value<ReadonlyMap<string, KeptGuest>>(new Map());
  readonly waiting = new Value<readonly WaitingCheckIn[]>([]);
  readonly teams = new Value<readonly KeptTeam[]>([]);
  readonly refused = new Value<RefusedCheckIn | undefined>(undefined);
  private readonly tabs: Tabs;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wholeAt = 0;
  private working: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly time: () => Date,
  ) {
    this.tabs = tabs('pos-guests', () => void this.load().catch(() => undefined));
  }

  async start(): Promise<void> {
    await this.load().catch(() => undefined);
    let event = this.sessions.session.now?.event.id;
    this.sessions.session.onChange(() => {
      const next = this.sessions.session.now?.event.id;
      if (next === event) return;
      event = next;
      void this.forget().then(() => this.sync());
    });
    addEventListener('online', () => void this.sync());
    await this.sync();
  }

  /** Sends the waiting check-ins and reads the changes of the list. Without network, nothing happens. */
  async sync(): Promise<void> {
    this.working ??= this.syncOnce().finally(() => (this.working = undefined));
    await this.working;
    clearTimeout(this.timer);
    const every = this.list.now.length > 0 || this.waiting.now.length > 0 ? LOOK_EVERY_MS : LOOK_RARELY_MS;
    this.timer = setTimeout(() => void this.sync(), every);
  }

  /**
   * Checks a guest in.
   * @throws StorageError if it could not be stored
   */
  async checkIn(session: Session, guest: KeptGuest, paddle: string | undefined): Promise<void> {
    const at = this.time().toISOString();
    await this.change(
      session,
      guest,
      'check-in',
      { at, ...(paddle !== undefined && { paddle }) },
      {
        ...guest,
        checkedInAt: at,
        checkedInBy: session.user.name,
        paddle: paddle ?? guest.paddle,
      },
    );
  }

  /** Removes a check-in that was a mistake. */
  async undo(session: Session, guest: KeptGuest): Promise<void> {
    await this.change(session, guest, 'undo', {}, { ...guest, checkedInAt: null, checkedInBy: null });
  }

  /** Adds a guest who was not on the list and checks the guest in. */
  async walkIn(session: Session, { name, table, paddle }: NewGuest): Promise<void> {
    const [id, at] = [crypto.randomUUID(), this.time().toISOString()];
    const guest = keptGuest({
      id,
      eventId: session.event.id,
      name,
      table: table ?? null,
      seat: null,
      paddle: paddle ?? null,
      sharesPaddleWith: null,
      contestedPaddle: null,
      party: null,
      note: null,
      isVip: false,
      needsHelp: false,
      checkedInAt: at,
      checkedInBy: session.user.name,
      updatedAt: at,
    });
    const body = {
      id,
      name,
      at,
      ...(table !== undefined && { table }),
      ...(paddle !== undefined && { paddle }),
    };
    await this.change(session, guest, 'walk-in', body, guest);
  }

  /**
   * Gives a guest the lowest free paddle. Only the server knows which number is free, so this needs a network.
   * @throws NoAnswer without network
   */
  async nextPaddle(session: Session, guest: KeptGuest): Promise<Guest> {
    const { guest: after } = await ask<CheckedIn>(`/guests/${guest.id}/check-in`, {
      method: 'POST',
      token: session.token,
      body: { nextPaddle: true },
    });
    await this.keep(session.event.id, [after]);
    return after;
  }

  /** Stores a change on the disk, shows it, then sends it. */
  private async change(
    { event }: Session,
    { id: guestId }: KeptGuest,
    what: WaitingCheckIn['what'],
    body: WaitingCheckIn['body'],
    after: Guest,
  ): Promise<void> {
    const key = `${this.time().toISOString()} ${crypto.randomUUID()}`;
    await this.database.write(['checkIns', 'guests'], (tx) => {
      tx.put('checkIns', { key, eventId: event.id, guestId, what, body } satisfies WaitingCheckIn);
      tx.put('guests', keptGuest(after));
    });
    await this.changed();
    void this.sync();
  }

  private async syncOnce(): Promise<void> {
    const session = this.sessions.session.now;
    if (!session || session.ended) return;
    try {
      // Only one tab sends at a time.
      await ('locks' in navigator
        ? // eslint-disable-next-line compat/compat -- asked for above
          navigator.locks.request(LOCK, () => this.sendAll(session))
        : this.sendAll(session));
      await this.read(session);
    } catch {
      // Without network, or with a full disk, the next round tries again.
    }
  }

  private async sendAll(session: Session): Promise<void> {
    await this.load();
    for (const waiting of this.waiting.now) {
      if (waiting.eventId !== session.event.id) continue;
      try {
        const answer = await send(session, waiting);
        const others = this.waiting.now.filter(
          ({ guestId, key }) => guestId === waiting.guestId && key !== waiting.key,
        );
        await this.database.write(['checkIns', 'guests'], (tx) => {
          tx.delete('checkIns', waiting.key);
          // A later change of the guest on this terminal is newer than the answer.
          if (others.length === 0) tx.put('guests', keptGuest(answer));
        });
      } catch (error) {
        if (!(error instanceof ApiError) || PASSING.has(error.status)) {
          if (error instanceof ApiError && error.status === 401) await this.sessions.ended(session.token);
          throw error;
        }
        const name = this.list.now.find(({ id }) => id === waiting.guestId)?.name ?? '';
        await this.database.write(['checkIns'], (tx) => tx.delete('checkIns', waiting.key));
        this.refused.set({ name, code: error.code });
        this.wholeAt = 0;
      }
      await this.changed();
    }
  }

  /** Reads the whole list, or the guests that changed since the last reading. */
  private async read({ event, token }: Session): Promise<void> {
    const meta = await this.database.read(['meta'], (tx) => tx.get<Meta>('meta', META));
    const isWhole = meta?.eventId !== event.id || Date.now() - this.wholeAt > WHOLE_EVERY_MS;
    const since = isWhole ? '' : `&updatedFrom=${meta.asOf}`;
    const guests: Guest[] = [];
    let asOf: string | undefined;
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/events/${event.id}/guests?limit=${PAGE}${since}${cursor && `&cursor=${cursor}`}`;
      const page: GuestList = await ask<GuestList>(path, { token });
      guests.push(...page.data);
      asOf ??= page.asOf;
      cursor = page.cursor;
    }
    await this.keep(event.id, guests, { isWhole, meta: { eventId: event.id, asOf: asOf ?? '' } });
    if (!isWhole) return;
    await this.readTeams(event.id, token);
    this.wholeAt = Date.now();
  }

  private async readTeams(eventId: string, token: string): Promise<void> {
    const { data } = await ask<TeamList>(`/events/${eventId}/teams`, { token });
    const listed = data.filter(({ isListed }) => isListed);
    const teams = listed.map(({ id, name, number }): KeptTeam => ({ id, name, number }));
    await this.database.write(['meta'], (tx) => {
      if (this.isSignedInAt(eventId)) tx.put('meta', teams, TEAMS);
    });
    await this.changed();
  }

  /**
   * Stores guests of the server, except guests with a waiting change of this terminal. After a sign-out, nothing is stored: the list
   * may arrive later than the sign-out.
   */
  private async keep(
    eventId: string,
    guests: readonly Guest[],
    { isWhole = false, meta }: { isWhole?: boolean; meta?: Meta } = {},
  ): Promise<void> {
    if (guests.length > 0 || isWhole)
      await this.database.write(['guests', 'checkIns', 'meta'], async (tx) => {
        const waiting = new Set((await tx.all<WaitingCheckIn>('checkIns')).map(({ guestId }) => guestId));
        const own = isWhole ? (await tx.all<KeptGuest>('guests')).filter(({ id }) => waiting.has(id)) : [];
        if (!this.isSignedInAt(eventId)) return;
        if (isWhole) tx.clear('guests');
        for (const guest of guests) if (!waiting.has(guest.id)) tx.put('guests', keptGuest(guest));
        for (const guest of own) tx.put('guests', guest);
        if (meta) tx.put('meta', meta, META);
      });
    else if (meta && this.isSignedInAt(eventId))
      await this.database.write(['meta'], (tx) => tx.put('meta', meta, META));
    if (guests.length > 0 || isWhole) await this.changed();
  }

  private isSignedInAt(eventId: string): boolean {
    return this.sessions.session.now?.event.id === eventId;
  }

  /** Deletes the list, because it has names of guests. Waiting check-ins stay. */
  private async forget(): Promise<void> {
    this.wholeAt = 0;
    await this.database
      .write(['guests', 'meta'], (tx) => {
        tx.clear('guests');
        tx.clear('meta');
      })
      .catch(() => undefined);
    await this.changed().catch(() => undefined);
  }

  private async changed(): Promise<void> {
    this.tabs.announce();
    await this.load();
  }

  private async load(): Promise<void> {
    const [guests, waiting, teams] = await this.database.read(['guests', 'checkIns', 'meta'], (tx) =>
      Promise.all([
        tx.all<KeptGuest>('guests'),
        tx.all<WaitingCheckIn>('checkIns'),
        tx.get<readonly KeptTeam[]>('meta', TEAMS),
      ]),
    );
    guests.sort((one, other) => (one.searched < other.searched ? -1 : 1));
    this.waiting.set(waiting);
    this.list.set(guests);
    this.teams.set(teams ?? []);
    // A guest who shares a paddle comes after its holder.
    const holders = guests.filter(({ sharesPaddleWith }) => sharesPaddleWith === null);
    this.byPaddle.set(
      new Map(holders.flatMap((guest) => (guest.paddle === null ? [] : [[guest.paddle, guest]]))),
    );
  }
}

async function send({ token, event }: Session, { what, guestId, body }: WaitingCheckIn): Promise<Guest> {
  if (what === 'undo') return await ask<Guest>(`/guests/${guestId}/check-in`, { method: 'DELETE', token });
  const path = what === 'walk-in' ? `/events/${event.id}/guests/walk-ins` : `/guests/${guestId}/check-in`;
  const { guest } = await ask<CheckedIn>(path, { method: 'POST', token, body });
  return guest;
}
