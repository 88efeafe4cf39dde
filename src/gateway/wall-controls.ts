import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { Semaphore } from '../common/concurrency/concurrency.js';
import { PublicEvents } from '../events/public-events.service.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import type { Settings } from '../settings/settings.js';
import type { WallControl } from './live-messages.js';
import { wallControlOf } from './wall-control.js';
import { RoomBroadcaster, roomOf } from './broadcasts.js';
import type { LiveServer } from './live-messages.js';

/**
 * Minimum interval between reads of the settings. Without this limit, frequent changes of other events would cause many reads.
 */
const LOOK_EVERY_MS = 200;
const LOOKS_AT_ONCE = 2;

/** The current instructions for the walls of an event. */
export interface WallState {
  readonly control: WallControl;
  /** Start of the pause as `Date.getTime()`; null if unknown. */
  readonly pausedAt: number | null;
}

const USUAL: WallState = { control: { scene: 'wall', notice: '', paused: false }, pausedAt: null };

/** A room with sockets of this process. */
interface Room {
  /** The state that was last sent to the sockets of the room. */
  state?: WallState;
  /** A read that started after the last change that this process knows. */
  fresh?: Promise<void> | undefined;
  /** True if a change has already scheduled a read. */
  isDue: boolean;
  /**
   * Number of the last read that started (`begun`), and of the latest read whose result was used
   * (`believed`).
   */
  begun: number;
  believed: number;
  lookedAt: number;
}

/**
 * Sends wall instructions to the rooms of this process as soon as the settings change. Each process notices every change and
 * serves its own sockets, so this works without Redis.
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

  /** Loads the state that `now` returns. Call it after the socket has entered the room. */
  async learn(eventId: string): Promise<void> {
    let room = this.known.get(eventId);
    if (!room) this.known.set(eventId, (room = { isDue: false, begun: 0, believed: 0, lookedAt: 0 }));
    await this.look(eventId, room);
  }

  /** Returns the state last sent to the room. Call it immediately before sending, so that no newer state is sent in between. */
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
      // The state of an empty room is deleted. The next socket loads it again.
      if (!this.server?.sockets.adapter.rooms.has(roomOf(eventId))) this.known.delete(eventId);
      else
        this.look(eventId, room).catch((error: unknown) => {
          // Only logged: settings cannot change without the database, and this process reads them when the database is back.
          this.logger.warn(`Wall instructions could not be read: ${(error as Error).message}`);
        });
    }, wait).unref();
  }

  /** All requests until the next change share one read, because all walls of a venue may reconnect at once. */
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
    // A result that is older than the current state is ignored. An event without a public page has no walls.
    if (!found || number < room.believed) return;
    room.believed = number;
    // Reads again if the database did not answer, or if the settings changed during the read.
    if (found.usableUntil <= performance.now()) this.changed(eventId, room);
    const { state: before } = room;
    room.state = toState(found.value.settings);
    if (before && !isDeepStrictEqual(before.control, room.state.control))
      await this.rooms.broadcastHere(eventId, [['wall.control', { eventId, ...room.state.control }]]);
  }
}

/** Returns the instructions for the walls from an event's settings. */
export const toState = ({ live: { wall } }: Settings): WallState => ({
  control: wallControlOf(wall),
  pausedAt: wall.pausedAt === null ? null : new Date(wall.pausedAt).getTime(),
});

/** True if the instructions are the default ones. */
export const isUsual = (control: WallControl): boolean => isDeepStrictEqual(control, USUAL.control);
