import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ZipArchive } from 'archiver';

/** One file of a ZIP. */
export interface ZipEntry {
  /** A plain file name. */
  readonly name: string;
  readonly date: Date;
  /** In memory, it is stored as it is: PDFs are compressed inside. As a stream, it is compressed. */
  readonly content: Buffer | Readable;
}

/** What is handed on at a time: each piece is a write to the network, which costs as much as drawing a tenth of a page. */
const PIECE = 64 * 1024;
/** Beyond so many bytes that nobody has read, nothing is added. */
const MOST_WAITING = 256 * 1024;

/**
 * A ZIP file as it grows. An entry is asked for only when the one before is in the archive and the reader has taken
 * most of it: archiver by itself would keep all that it is given. When the reader stops, so do `entries`.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer, void, undefined> {
  // Loaded with the first of them.
  const archiver = await import('archiver');
  const archive = new archiver.ZipArchive({ store: true });
  const stop = new AbortController();
  const fed = feed(archive, entries, stop.signal).catch((error: unknown) => {
    archive.destroy(error as Error);
  });
  try {
    yield* inPieces(archive as AsyncIterable<Buffer>);
  } finally {
    stop.abort();
    archive.abort();
    archive.destroy();
    // Until the work on the present entry has ended, too: it holds a connection and a file.
    await fed;
  }
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    waiting.push(chunk);
    if (bytes < PIECE) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

async function feed(
  archive: ZipArchive,
  entries: AsyncIterable<ZipEntry>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { name, date, content } of entries) {
    try {
      const added = once(archive, 'entry', { signal });
      // archiver waits for ever for a stream that fails.
      if (content instanceof Readable) content.once('error', (error) => archive.destroy(error));
      // A stored entry of unknown length would need a data descriptor, which some programs cannot read.
      archive.append(content, { name, date, store: Buffer.isBuffer(content) });
      await added;
    } finally {
      if (content instanceof Readable) content.destroy();
    }
    while (archive.readableLength + archive.writableLength > MOST_WAITING) {
      await once(archive, 'data', { signal });
    }
  }
  signal.throwIfAborted();
  await archive.finalize();
}
