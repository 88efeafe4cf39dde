import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import type { Sendable } from './live-messages.js';
import { type LiveServer, roomOf } from './live-server.js';
import { bundle, sendBundle } from './message-bundle.js';

/** How long one broadcast may keep the process from everything else. */
const SLICE_MS = 8;

/** Broadcasts several messages at once to a room on all processes: in order, each batch to every socket. */
@Injectable()
export class RoomBroadcaster {
  private readonly logger = new Logger(RoomBroadcaster.name);
  private server: LiveServer | undefined;
  private underWay: Promise<void> = Promise.resolve();

  constructor(private readonly config: AppConfig) {}

  attach(server: LiveServer): void {
    this.server = server;
    server.on('room.messages', (eventId, messages) => {
      this.tellHere(eventId, messages).catch((error: unknown) => {
        this.logger.error({ msg: 'Messages of another instance could not be passed on', err: error });
      });
    });
  }

  /** Resolves when every socket of the room on this instance has been sent the messages. */
  async broadcast(eventId: string, messages: readonly Sendable[]): Promise<void> {
    if (this.config.redisUrl) this.server?.serverSideEmit('room.messages', eventId, messages);
    await this.tellHere(eventId, messages);
  }

  /** As `broadcast`, to the sockets of this process alone. */
  async tellHere(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // One batch after the other; what fails fails for its own caller only.
    const sent = this.underWay.then(() => this.sendToRoom(roomOf(eventId), messages));
    this.underWay = sent.catch(() => undefined);
    await sent;
  }

  private async sendToRoom(room: string, messages: readonly Sendable[]): Promise<void> {
    const sockets = this.server?.sockets.sockets;
    const members = this.server?.sockets.adapter.rooms.get(room);
    if (!sockets || !members || messages.length === 0) return;
    const bundled = bundle(messages);
    let sliceEnds = performance.now() + SLICE_MS;
    for (const id of members) {
      const socket = sockets.get(id);
      if (socket?.connected) sendBundle(socket, bundled);
      if (performance.now() < sliceEnds) continue;
      // Thousands of sockets take their time; requests must not wait for all of it.
      await new Promise(setImmediate);
      sliceEnds = performance.now() + SLICE_MS;
    }
  }
}
