import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Piscina } from 'piscina';
import type { FromThread, StreamTask, ThreadFunction, ThreadStream, ToThread } from './thread-messages.js';
import { Inbox } from './streamed.js';

/**
 * After this time without work, the thread ends, so that the memory of its typefaces and cached texts is free again. The next
 * receipt then waits half a second for a new thread.
 */
const IDLE_MS = 600_000;
/** Most drawing data is soon garbage. A small young generation is collected often and quickly. */
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };
/** Maximum number of tasks at the same time. It is so high because the callers already limit the number of large exports. */
const AT_ONCE = 1_000;

/** Maximum bytes of a stream piece, and maximum number of pieces that are sent but not yet read. */
const ROOM = 64 * 1024;
const ROOMS = 4;

export interface StreamOptions<Batch, Note> {
  /** Input batches. The next batch is read when the thread requests it. When the stream ends early, `batches` ends too. */
  readonly batches: AsyncGenerator<Batch, void, undefined>;
  readonly onNote: (note: Note) => void;
}

/**
 * A worker thread that draws and packs files. On the main thread this work would block requests for seconds and fill the memory
 * with garbage.
 */
@Injectable()
export class ExportThread implements OnApplicationShutdown {
  private readonly logger = new Logger(ExportThread.name);
  private pool: Promise<Piscina> | undefined;

  /** Runs a function that returns bytes. Input and output are copied between threads, so both must be plain values. */
  async bytes<Input>({ file, name }: ThreadFunction<Input, Uint8Array>, input: Input): Promise<Buffer> {
    const pool = await this.opened();
    const made = (await pool.run(input, { filename: file, name })) as Uint8Array;
    return Buffer.from(made.buffer, made.byteOffset, made.byteLength);
  }

  /**
   * Runs a function made by `streamed`. A piece is valid only until the caller requests the next piece, because the pieces
   * share memory. When the caller stops, the function and `batches` stop too.
   * @throws errors of the function, errors of `batches`, and an error if the thread ends
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
    // The module is loaded with the first export, so servers without exports save memory.
    const { Piscina } = await import('piscina');
    const pool = new Piscina({
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: AT_ONCE,
      // With atomics, the thread would sleep between tasks, and a message of a stream could not wake the thread.
      atomics: 'disabled',
      idleTimeout: IDLE_MS,
      resourceLimits: LIMITS,
    });
    // Without this listener, an error of the thread would end the process. The running exports fail, and the next export
    // starts a new thread.
    pool.on('error', (error) => this.logger.error({ msg: 'Export thread failed', err: error as Error }));
    return pool;
  }
}

type Piece = Extract<FromThread<never>, { kind: 'piece' }>;

/** The part of a stream on the main thread. */
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
