import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crlfPieces } from './crlf-pieces.js';
import { BOM } from './csv-text.js';

const SIZE = 8;

async function fileOf(chunks: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  const rows = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  })();
  for await (const piece of crlfPieces(rows, SIZE)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

describe('crlfPieces', () => {
  it('writes a byte order mark before the first row', async () => {
    expect(await fileOf(['a,b\n'])).toBe(`${BOM}a,b\r\n`);
  });

  it('writes the byte order mark alone without rows', async () => {
    expect(await fileOf([])).toBe(BOM);
  });

  it('ends each record by CRLF and keeps the CRLF of a cell, wherever the chunks are cut', async () => {
    const chunk = fc.string({ unit: fc.constantFrom('\r', '\n', 'a', 'é', '"'), maxLength: 5 * SIZE });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), async (chunks) => {
        expect(await fileOf(chunks)).toBe(BOM + chunks.join('').replace(/(?<!\r)\n/g, '\r\n'));
      }),
    );
  });
});
