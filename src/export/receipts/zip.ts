import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ZipArchive } from 'archiver';

export interface ZipEntry<Content> {
  /** A plain file name. */
  readonly name: string;
  readonly content: Content;
  readonly date: Date;
}

/**
 * A ZIP file as it grows: the `files`, stored as they are (PDFs are compressed inside), then the text that
 * `closing` gives once they are all in. No file is asked for before the reader has taken the one before:
 * archiver by itself would take buffers without limit.
 */
export async function* zipOf(
  files: AsyncIterable<ZipEntry<Buffer>>,
  closing: () => ZipEntry<Readable>,
): AsyncGenerator<Buffer, void, undefined> {
  const archive = new ZipArchive({ store: true });
  // Told again to whoever waits below; without a listener it would end the process.
  archive.on('error', () => undefined);
  try {
    for await (const { name, content, date } of files) {
      const written = once(archive, 'entry');
      archive.append(content, { name, date });
      await written;
      for (let chunk = next(archive); chunk !== null; chunk = next(archive)) yield chunk;
    }
    const { content, name, date } = closing();
    content.on('error', (error) => archive.destroy(error));
    archive.append(content, { name, date, store: false });
    void archive.finalize().catch((error: unknown) => archive.destroy(error as Error));
    yield* archive as AsyncIterable<Buffer>;
  } finally {
    archive.destroy();
  }
}

const next = (archive: Readable) => archive.read() as Buffer | null;
