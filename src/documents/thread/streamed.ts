import type { MessagePort } from 'node:worker_threads';
import type { FromThread, StreamTask, ToThread } from './thread-messages.js';

export interface StreamContext<Batch, Note> {
  /** Input batches from the main thread. When the function reads a batch, the thread already requests the next one. */
  readonly batches: AsyncIterable<Batch>;
  /** Sends the main thread a message that is not part of the stream. */
  readonly note: (note: Note) => void;
}

/**
 * Makes a function for `ExportThread.stream`. The function runs on the thread. Its pieces are copied into buffers. The main
 * thread sends empty buffers and gets the same buffers back with data, so this creates no garbage. If the main thread closes
 * the port, the function ends early and its `finally` runs.
 */
export function streamed<Input, Batch, Note>(
  work: (input: Input, context: StreamContext<Batch, Note>) => AsyncGenerator<Uint8Array, void, undefined>,
): (task: StreamTask<Input>) => Promise<void> {
  return async ({ input, port }) => {
    const rooms = new Inbox<ArrayBuffer>();
    const batches = new Inbox<{ readonly batch: Batch | undefined }>();
    port.on('message', (message: ToThread<Batch>) => {
      if (message.kind === 'room') rooms.put(message.room);
      else batches.put(message);
    });
    port.on('close', () => {
      rooms.close();
      batches.close();
    });
    const tell = (message: FromThread<Note>): void => {
      port.postMessage(message);
    };
    const context = {
      batches: wanted(batches, () => tell({ kind: 'wanted' })),
      note: (note: Note) => tell({ kind: 'note', note }),
    };
    try {
      for await (const piece of work(input, context)) if (!(await send(piece, rooms, port))) return;
      tell({ kind: 'end' });
    } finally {
      port.close();
    }
  };
}

/** Returns false if the main thread has stopped reading. */
async function send(piece: Uint8Array, rooms: Inbox<ArrayBuffer>, port: MessagePort): Promise<boolean> {
  for (let at = 0; at < piece.length;) {
    const room = await rooms.take();
    if (!room) return false;
    const part = piece.subarray(at, at + room.byteLength);
    new Uint8Array(room).set(part);
    port.postMessage({ kind: 'piece', room, length: part.length } satisfies FromThread<never>, [room]);
    at += part.length;
  }
  return true;
}

async function* wanted<Batch>(
  batches: Inbox<{ readonly batch: Batch | undefined }>,
  want: () => void,
): AsyncGenerator<Batch, void, undefined> {
  want();
  for (;;) {
    const batch = (await batches.take())?.batch;
    if (batch === undefined) return;
    want();
    yield batch;
  }
}

/** Received items that the reader has not taken yet, in order. */
export class Inbox<Item> {
  private readonly items: Item[] = [];
  private waiting: ((item: Item | undefined) => void) | undefined;
  private closed = false;

  put(item: Item): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) waiting(item);
    else this.items.push(item);
  }

  /** Resolves with the next item, or undefined after the end. Supports one reader at a time. */
  async take(): Promise<Item | undefined> {
    const item = this.items.shift();
    if (item !== undefined || this.closed) return item;
    return await new Promise((resolve) => (this.waiting = resolve));
  }

  /** Closes the inbox. The reader can still take items that were received before. */
  close(): void {
    this.closed = true;
    this.waiting?.(undefined);
    this.waiting = undefined;
  }
}
