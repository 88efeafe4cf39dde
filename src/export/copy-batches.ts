import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Bytes of rows that are sent to the export thread at once. */
const BATCH = 64 * 1024;

/**
 * Yields the output of a COPY statement in batches of equal size; the last one is shorter. All batches use the same memory, so
 * a batch is valid only until the caller asks for the next one. The export thread gets a copy of each batch.
 */
export async function* copyBatches(
  client: pg.Client,
  statement: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = new Uint8Array(BATCH);
  let end = 0;
  for await (const chunk of client.query(copyTo(statement)) as AsyncIterable<Buffer>)
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + BATCH - end);
      memory.set(part, end);
      end += part.length;
      from += part.length;
      if (end < BATCH) continue;
      yield memory;
      end = 0;
    }
  yield memory.slice(0, end);
}
