import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Piscina } from 'piscina';
import type { FromThread, StreamTask, ThreadFunction, ThreadStream, ToThread } from './thread-messages.js';
import { Inbox } from './streamed.js';

/**
 * After so long without work the thread ends, and gives back what it held: typefaces, and texts set in them. The next receipt
 * waits half a second for another one.
 */
const IDLE_MS = 600_000;
/** Most of what drawing makes is garbage at once: in little room it is collected often, each time in a moment. */
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };
/** All that is asked for begins at once and takes turns; who asks for large exports is limited before. */
const AT_ONCE = 1_000;

/** A piece of a stream is at most so long, and so many are on their way. */
const ROOM = 64 * 1024;
const ROOMS = 4;

export interface StreamOptions<Batch, Note> {
  /** Read as the thread asks for them. Ended early when the stream is. */
  readonly batches: AsyncGenerator<Batch, void, undefined>;
  readonly onNote: (note: Note) => void;
}

/**
 * One thread beside the one that answers requests. What draws and packs runs there: it would take the processor from an
 * evening for seconds, and fill the memory that requests need with its garbage.
 */
@Injectable()
export class ExportThread implements OnApplicationShutdown {
  private readonly logger = new Logger(ExportThread.name);
  private pool: Promise<Piscina> | undefined;

  /** Bytes that a function makes. Input and output are copied: plain values. */
  async bytes<Input>({ file, name }: ThreadFunction<Input, Uint8Array>, input: Input): Promise<Buffer> {
    const pool = await this.opened();
    const made = (await pool.run(input, { filename: file, name })) as Uint8Array;
    return Buffer.from(made.buffer, made.byteOffset, made.byteLength);
  }

  /**
   * What a function made by `streamed` yields. A piece is the caller's until it asks for the next: its memory is lent.
   * When the caller stops, so do the function and `batches`.
   * @throws what the function throws, what `batches` throw, and when the thread ends
   */
  async *stream<Input, Batch, Note>(
    { file, name }: ThreadStream<Input, Batch, Note>,
    input: Input,
    { batches, onNote }: StreamOptions<Batch, Note>,
  ): AsyncGenerator<Buffer, void, undefined> {
    const pool = await this.opened();
    const { port1: port, port2: theirs } = new MessageChannel();
    const task: StreamTask<Input> = { input, port: theirs };
    const ended = pool.run(task, { filename: file, name, transferList: [theirs] });
    const conversation = new Conversation(port, ended, { batches, onNote });
    try {
      yield* conversation.pieces();
    } finally {
      port.close();
      await Promise.all([batches.return(), ended.catch(() => undefined)]);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.pool)?.destroy();
  }

  private async opened(): Promise<Piscina> {
    this.pool ??= this.open();
    return await this.pool;
  }

  private async open(): Promise<Piscina> {
    // Loaded with the first export: a server that makes none does without.
    const { Piscina } = await import('piscina');
    const pool = new Piscina({
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: AT_ONCE,
      // Otherwise the thread sleeps where a stream cannot wake it.
      atomics: 'disabled',
      idleTimeout: IDLE_MS,
      resourceLimits: LIMITS,
    });
    // What ran on a thread that ended has failed, and the next export gets another. Without a listener it would end the process.
    pool.on('error', (error) =>
      this.logger.error({ msg: 'The thread of exports ended', err: error as Error }),
    );
    return pool;
  }
}

type Piece = Extract<FromThread<never>, { kind: 'piece' }>;

/** This side of a stream. */
class Conversation<Batch, Note> {
  private readonly arrived = new Inbox<Piece>();
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly port: MessagePort,
    ended: Promise<unknown>,
    private readonly options: StreamOptions<Batch, Note>,
  ) {
    ended.catch((error: unknown) => this.fail(error));
    port.on('message', (message: FromThread<Note>) => {
      if (message.kind === 'piece') this.arrived.put(message);
      else if (message.kind === 'wanted') void this.feed();
      else if (message.kind === 'note') this.options.onNote(message.note);
      else this.arrived.close();
    });
    for (let count = 0; count < ROOMS; count++) this.lend(new ArrayBuffer(ROOM));
  }

  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const piece = await this.arrived.take();
      if (this.failure) throw this.failure.error;
      if (!piece) return;
      yield Buffer.from(piece.room, 0, piece.length);
      this.lend(piece.room);
    }
  }

  private lend(room: ArrayBuffer): void {
    this.port.postMessage({ kind: 'room', room } satisfies ToThread<Batch>, [room]);
  }

  private async feed(): Promise<void> {
    try {
      const { value, done } = await this.options.batches.next();
      this.port.postMessage({ kind: 'batch', batch: done ? undefined : value } satisfies ToThread<Batch>);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.arrived.close();
  }
}
