import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { RoomBroadcaster } from '../gateway/broadcasts.js';
import { Boards } from './boards.service.js';

/** Rows of a message. Walls show fewer. */
const MOST_ROWS = 20;
const EVERY_MS = 1_000;
/** Time for which a changed event is looked at: its followers, and then the cached board, come after the change. */
const LOOKED_AT_MS = 2_500;
/** Every so many turns, all events are looked at, because donations also enter a board without a change. */
const ALL_EVERY = 5;

/**
 * Sends the public board of an event to its walls when it has changed. It looks once a second, at moments that do not depend on a
 * donation. A message has the same rows as `GET /events/:slug/board`, so it reveals no more.
 */
@Injectable()
export class BoardBroadcasts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(BoardBroadcasts.name);
  private readonly changedUntil = new Map<string, number>();
  /** The last known board of each event with walls on this process. */
  private last = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private turn = 0;
  private isLooking = false;

  constructor(
    private readonly boards: Boards,
    private readonly rooms: RoomBroadcaster,
    private readonly changes: CommittedChanges,
  ) {}

  onApplicationBootstrap(): void {
    this.changes.onChange((eventId, isOfTotals) => {
      if (eventId !== undefined && isOfTotals)
        this.changedUntil.set(eventId, performance.now() + LOOKED_AT_MS);
    });
    this.timer = setInterval(() => void this.look(), EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    this.turn = (this.turn + 1) % ALL_EVERY;
    const now = performance.now();
    for (const [eventId, until] of this.changedUntil) if (until < now) this.changedUntil.delete(eventId);
    const here = this.rooms.eventsHere();
    this.last = new Map([...this.last].filter(([eventId]) => here.has(eventId)));
    try {
      for (const eventId of here)
        if (this.turn === 0 || this.changedUntil.has(eventId)) await this.send(eventId);
    } finally {
      this.isLooking = false;
    }
  }

  private async send(eventId: string): Promise<void> {
    try {
      const { currency, by, minGifts, data } = (await this.boards.board(eventId)).value;
      const board = { eventId, currency, by, minGifts, data: data.slice(0, MOST_ROWS) };
      const text = JSON.stringify(board);
      const before = this.last.get(eventId);
      this.last.set(eventId, text);
      // A wall reads the board itself when it shows it, so the first look at an event without teams sends nothing.
      if (before === text || (before === undefined && board.data.length === 0)) return;
      await this.rooms.broadcastHere(eventId, [['board.changed', board]]);
    } catch (error) {
      // An event that is no longer public has no board. Walls ask again themselves.
      this.logger.debug(`Board could not be sent: ${(error as Error).message}`);
    }
  }
}
