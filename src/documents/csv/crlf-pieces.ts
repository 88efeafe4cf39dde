import { BOM } from './csv-text.js';

const CR = 0x0d;
const LF = 0x0a;

/**
 * Yields the rows of a COPY as pieces of a CSV file; the first piece starts with `head`. Every piece except the last has more
 * than `size` bytes. A piece is valid only until the caller asks for the next one, because all pieces use the
 * same memory. With new memory for each piece, Node 24 kept a hundred megabytes of garbage during a large export.
 */
export async function* crlfPieces(
  rows: AsyncIterable<Buffer>,
  size: number,
  head: '' | typeof BOM = BOM,
): AsyncGenerator<Buffer, void, undefined> {
  // Byte 0 keeps the last byte of the previous piece. A piece of `size` bytes can get `size` more bytes, and added CRs can
  // double these.
  const memory = Buffer.alloc(3 * size);
  let end = 1 + memory.write(head, 1);
  for await (const chunk of rows)
    for (let from = 0; from < chunk.length; from += size) {
      end = copyWithCrlf(chunk.subarray(from, from + size), memory, end);
      if (end <= size) continue;
      yield memory.subarray(1, end);
      memory.copyWithin(0, end - 1, end);
      end = 1;
    }
  yield memory.subarray(1, end);
}

/**
 * Copies rows to `target`, beginning at `at`. COPY ends records with LF, but RFC 4180 requires CRLF. So this adds a CR before
 * each LF without a CR.
 * @returns the end of the copy
 */
function copyWithCrlf(rows: Buffer, target: Buffer, at: number): number {
  let end = at;
  for (let from = 0; from < rows.length;) {
    const lineFeed = rows.indexOf(LF, from);
    const to = lineFeed < 0 ? rows.length : lineFeed;
    end += rows.copy(target, end, from, to);
    if (lineFeed >= 0) {
      if (target[end - 1] !== CR) target[end++] = CR;
      target[end++] = LF;
    }
    from = to + 1;
  }
  return end;
}
