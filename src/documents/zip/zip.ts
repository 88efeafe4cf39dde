import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ZipArchive } from 'archiver';

/** One file in a ZIP. */
export interface ZipEntry {
  /** Name, with folders if the ZIP has any. */
  readonly name: string;
  readonly date: Date;
  /** A buffer is stored without compression, because PDFs are already compressed. A stream is compressed. */
  readonly content: Buffer | Readable;
}

/** Size of a chunk. Each chunk is one network write, and a network write takes as long as drawing a tenth of a page. */
const PIECE = 64 * 1024;
/** Maximum number of unread bytes before the next entry waits. */
const MOST_WAITING = 256 * 1024;

/**
 * Streams a ZIP file. The next entry is requested only after the previous one is in the archive and mostly read. Otherwise
 * archiver would keep all entries in memory. When the reader stops, `entries` stops too.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer, void, undefined> {
  // The module is loaded with the first ZIP.
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
    // Waits until the current entry has ended too, because the entry uses a connection and a file.
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
      // When the stream of an entry fails, archiver would wait forever. So the archive is closed with the error.
      if (content instanceof Readable) content.once('error', (error) => archive.destroy(error));
      // A stored entry without a known length would need a data descriptor, which some programs cannot read. So a stream is
      // compressed.
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
