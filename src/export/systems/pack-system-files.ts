// This code runs on the export thread; see `SystemFiles`.
import { Readable } from 'node:stream';
import { crlfPieces } from '../../documents/csv/crlf-pieces.js';
import { streamed } from '../../documents/thread/streamed.js';
import { type ZipEntry, zipOf } from '../../documents/zip/zip.js';

const PIECE = 64 * 1024;

export interface FilesToPack {
  readonly readme: string;
  /** Names of the files, in the order of their batches. */
  readonly names: readonly string[];
  readonly createdAt: Date;
}

/** Rows of a file. */
export interface FileBatch {
  /** Place of the file in `names`. */
  readonly file: number;
  readonly rows: Uint8Array;
}

/** Packs the README and the files as a ZIP. The files are UTF-8 without a byte order mark, with CRLF. */
export const packSystemFiles = streamed<FilesToPack, FileBatch, never>(async function* (input, { batches }) {
  yield* zipOf(entries(input, batches));
});

async function* entries(
  { readme, names, createdAt: date }: FilesToPack,
  batches: AsyncIterable<FileBatch>,
): AsyncGenerator<ZipEntry, void, undefined> {
  yield { name: 'README.txt', date, content: Buffer.from(readme) };
  const reader = batches[Symbol.asyncIterator]();
  let next = await reader.next();
  async function* rowsOf(file: number): AsyncGenerator<Buffer, void, undefined> {
    for (; next.done !== true && next.value.file === file; next = await reader.next()) {
      const { buffer, byteOffset, byteLength } = next.value.rows;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  }
  for (const [file, name] of names.entries())
    yield { name, date, content: Readable.from(withCrlf(rowsOf(file)), { objectMode: false }) };
}

/** Copies each piece, because the ZIP keeps pieces while the next one is made. */
async function* withCrlf(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of crlfPieces(rows, PIECE, '')) yield Buffer.from(piece);
}
