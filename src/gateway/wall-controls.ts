import { Injectable, Logger } from '@nestjs/common';
import { Semaphore } from '../common/concurrency/concurrency.js';
import { PublicEvents } from '../events/public-events.service.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import type { Settings } from '../settings/settings.js';
import type { WallControl } from './live-messages.js';
import { RoomBroadcaster, roomOf } from './broadcasts.js';
import type { LiveServer } from './live-messages.js';

/** Whatever changes of any event may be a change of this one: the settings are looked at so often and no more. */
const LOOK_EVERY_MS = 200;
const LOOKS_AT_ONCE = 2;

/** What walls are to show. */
export interface WallState {
  readonly control: WallControl;
  /** Since when they hold donations back, as `Date.getTime()`; null where nobody knows. */
  readonly pausedAt: number | null;
}

const USUAL: WallState = { control: { scene: 'wall', notice: '', paused: false }, pausedAt: null };

/** A room with sockets of this process. */
interface Room {
  /** What its sockets were told last. */
  state?: WallState;
  /** A look that began after the last change that this process knows of. */
  fresh?: Promise<void> | undefined;
  /** Whether a look is about to begin because something changed. */
  isDue: boolean;
  /** How many looks began, and which of them was believed last. */
  begun: number;
  believed: number;
  lookedAt: number;
}

/**
 * Tells the rooms of this process what the team wants the walls to show, as soon as the settings say something else.
 * Each process tells its own sockets: it learns of every change anyway, and needs no Redis for that.
 */
@Injectable()
export class WallControls {
  private readonly logger = new Logger(WallControls.name);
  private readonly known = new Map<string, Room>();
  private readonly turns = new Semaphore(LOOKS_AT_ONCE);
  private server: LiveServer | undefined;

  constructor(
    private readonly events: PublicEvents,
    private readonly rooms: RoomBroadcaster,
    private readonly relay: OutboxRelay,
  ) {}

  attach(server: LiveServer): void {
    this.server = server;
    this.relay.onOtherChange(() => {
      for (const [eventId, room] of this.known) this.changed(eventId, room);
    });
  }

  /** Sees to it that `now` knows; call it for a socket that is in the room already. */
  async learn(eventId: string): Promise<void> {
    let room = this.known.get(eventId);
    if (!room) this.known.set(eventId, (room = { isDue: false, begun: 0, believed: 0, lookedAt: 0 }));
    await this.look(eventId, room);
  }

  /** What the room was told last. Take it at the very moment of sending, so that nothing newer was sent before. */
  now(eventId: string): WallState {
    return this.known.get(eventId)?.state ?? USUAL;
  }

  private changed(eventId: string, room: Room): void {
    room.fresh = undefined;
    if (room.isDue) return;
    room.isDue = true;
    const wait = Math.max(0, room.lookedAt + LOOK_EVERY_MS - performance.now());
    setTimeout(() => {
      room.isDue = false;
      // Where nobody listens any more, whoever comes next learns it anew.
      if (!this.server?.sockets.adapter.rooms.has(roomOf(eventId))) this.known.delete(eventId);
      else
        this.look(eventId, room).catch((error: unknown) => {
          // Without the database nothing was changed either; when it is back, everything is looked at.
          this.logger.warn(`What walls are to show could not be read: ${(error as Error).message}`);
        });
    }, wait).unref();
  }

  /** Those who ask between two changes share one look; a whole hall may come back at once. */
  private look(eventId: string, room: Room): Promise<void> {
    if (room.fresh) return room.fresh;
    const number = ++room.begun;
    room.lookedAt = performance.now();
    const look = this.turns.run(() => this.read(eventId, room, number));
    room.fresh = look;
    look.catch(() => {
      if (room.fresh === look) room.fresh = undefined;
    });
    return look;
  }

  private async read(eventId: string, room: Room, number: number): Promise<void> {
    const found = await this.events.find(eventId);
    // An older look that took longer has nothing to say; an event that is not public has no walls.
    if (!found || number < room.believed) return;
    room.believed = number;
    // The database does not answer, or something has changed meanwhile.
    if (found.usableUntil <= performance.now()) this.changed(eventId, room);
    const { state: before } = room;
    room.state = toState(found.value.settings);
    if (before && !isSame(before.control, room.state.control))
      await this.rooms.broadcastHere(eventId, [['wall.control', { eventId, ...room.state.control }]]);
  }
}

const toState = ({ live: { wall } }: Settings): WallState => ({
  control: { scene: wall.scene, notice: wall.notice, paused: wall.paused },
  pausedAt: wall.pausedAt === null ? null : new Date(wall.pausedAt).getTime(),
});

const isSame = (a: WallControl, b: WallControl): boolean =>
  a.scene === b.scene && a.notice === b.notice && a.paused === b.paused;

/** Whether walls show what they show where nobody steers them. */
export const isUsual = (control: WallControl): boolean => isSame(control, USUAL.control);
