import type { MessagePort } from 'node:worker_threads';
import type { FromThread, StreamTask, ToThread } from './thread-messages.js';

export interface StreamContext<Batch, Note> {
  /** What the other side reads for it. The next is asked for when one is taken, so that it is there in time. */
  readonly batches: AsyncIterable<Batch>;
  /** Tells the other side something that is not part of the stream. */
  readonly note: (note: Note) => void;
}

/**
 * On the thread: a function that `ExportThread.stream` can run. Its pieces are copied into rooms that the other side
 * lends and gets back full, so that neither leaves memory to be collected. It is ended early, its `finally` run, when the
 * other side closes the port.
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

/** False where nobody takes it any more. */
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

/** What has come and was not taken yet, in its order. */
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

  /** The next, once it has come; undefined when nothing more comes. For one taker at a time. */
  async take(): Promise<Item | undefined> {
    const item = this.items.shift();
    if (item !== undefined || this.closed) return item;
    return await new Promise((resolve) => (this.waiting = resolve));
  }

  /** What has come can still be taken. */
  close(): void {
    this.closed = true;
    this.waiting?.(undefined);
    this.waiting = undefined;
  }
}
