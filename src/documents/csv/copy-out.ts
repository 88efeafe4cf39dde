import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import { Inbox } from '../thread/inbox.js';

/** Kinds of messages, by their first byte: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const COPY_DATA = 'd'.charCodeAt(0);
const COPY_DONE = 'c'.charCodeAt(0);
const ERROR = 'E'.charCodeAt(0);
/** Before the content of a message: its kind, and a length that counts itself. */
const HEAD = 5;
const LENGTH = 4;
/** Smaller ones may share their memory with others. */
const OF_ITS_OWN = 16 * 1024;

const NOTHING = Buffer.alloc(0);

type OnData = (chunk: Buffer) => void;

/**
 * A `COPY … TO STDOUT` that leaves next to nothing to be collected. What comes from the connection is read where it lies,
 * message by message, and its memory is given back at once: what is made for each row, or waits for V8 to look, grows the process
 * by tens of megabytes in a large file. The connection is read at the pace of `more`.
 */
export class CopyOut implements Submittable {
  /** The present part of a row: the bytes from `from` to `to` of `chunk`. */
  chunk: Buffer = NOTHING;
  from = 0;
  to = 0;
  private readonly arrived = new Inbox<Buffer>();
  private readonly head = Buffer.alloc(HEAD);
  private headBytes = 0;
  /** Of the content of the present message, what was not read yet. */
  private missing = 0;
  private failure: { readonly error: unknown } | undefined;
  private stream: Duplex | undefined;
  private theirs: OnData | undefined;

  constructor(private readonly text: string) {}

  /** For pg, whose own reader of messages waits until the copy is over. */
  submit(connection: Connection): void {
    this.stream = connection.stream;
    this.theirs = this.stream.listeners('data')[0] as OnData;
    this.stream.removeListener('data', this.theirs);
    this.stream.on('data', this.put);
    connection.query(this.text);
  }

  handleError(error: unknown): void {
    this.failure ??= { error };
    this.arrived.close();
  }

  handleCommandComplete(): void {
    // Its end was seen before.
  }

  handleReadyForQuery(): void {
    // Nobody waits for it: the next query is sent when pg has seen it.
  }

  /** Goes to the next part of a row. False where none is left of what has come. */
  next(): boolean {
    const { head } = this;
    while (this.to < this.chunk.length) {
      if (this.missing === 0 && !this.readHead()) continue;
      this.from = this.to;
      this.to = Math.min(this.chunk.length, this.from + this.missing);
      this.missing -= this.to - this.from;
      if (head[0] === COPY_DATA && this.to > this.from) return true;
    }
    return false;
  }

  /**
   * Waits for more, which ends the use of what was there. False where the copy is over.
   * @throws what PostgreSQL says, and when the connection ends
   */
  async more(): Promise<boolean> {
    giveBack(this.chunk);
    this.chunk = NOTHING;
    this.from = this.to = 0;
    if (this.theirs) this.stream?.resume();
    const chunk = await this.arrived.take();
    if (this.failure) throw this.failure.error;
    if (!chunk) return false;
    this.chunk = chunk;
    return true;
  }

  private readonly put: OnData = (chunk) => {
    this.stream?.pause();
    this.arrived.put(chunk);
  };

  /** Whether a message with content begins: its head can be cut anywhere, and some have nothing else. */
  private readHead(): boolean {
    const { chunk, head } = this;
    while (this.headBytes < HEAD && this.to < chunk.length) head[this.headBytes++] = chunk[this.to++] ?? 0;
    if (this.headBytes < HEAD) return false;
    this.headBytes = 0;
    this.missing = head.readUInt32BE(1) - LENGTH;
    if (head[0] === ERROR) this.end(Buffer.concat([head, chunk.subarray(this.to)]));
    else if (head[0] === COPY_DONE) {
      this.arrived.close();
      this.end(chunk.subarray(this.to));
    }
    return this.missing > 0;
  }

  /** From here on pg reads the connection again. */
  private end(rest: Buffer): void {
    const { stream, theirs } = this;
    this.missing = 0;
    this.chunk = NOTHING;
    this.to = 0;
    this.theirs = undefined;
    if (!stream || !theirs) return;
    stream.removeListener('data', this.put);
    stream.on('data', theirs);
    theirs(rest);
    stream.resume();
  }
}

/** Its memory, at once instead of with the next collection. */
function giveBack({ buffer, length }: Buffer): void {
  if (length < OF_ITS_OWN || length !== buffer.byteLength) return;
  // From Node 22 on.
  (buffer as { transfer?: (length: number) => void }).transfer?.(0);
}
