import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { type ZipEntry, zipOf } from './zip.js';

const DATE = new Date('2026-11-21T12:00:00Z');
const closing = () => ({
  name: 'manifest.csv',
  content: Readable.from([Buffer.from('a,b\r\n')]),
  date: DATE,
});

async function* files(count: number, size: number, asked: (index: number) => void) {
  for (let index = 0; index < count; index++) {
    asked(index);
    const entry: ZipEntry<Buffer> = { name: `file-${index}`, content: Buffer.alloc(size, index), date: DATE };
    yield await Promise.resolve(entry);
  }
}

async function read(zip: AsyncIterable<Buffer>): Promise<Record<string, Uint8Array>> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip) chunks.push(chunk);
  return unzipSync(Buffer.concat(chunks));
}

describe('a ZIP', () => {
  it('holds the files as they are, then the closing one', async () => {
    const found = await read(
      zipOf(
        files(300, 20_000, () => undefined),
        closing,
      ),
    );
    expect(Object.keys(found)).toHaveLength(301);
    expect(Object.keys(found).at(-1)).toBe('manifest.csv');
    expect(Buffer.from(found['file-7'] ?? []).equals(Buffer.alloc(20_000, 7))).toBe(true);
    expect(Buffer.from(found['manifest.csv'] ?? []).toString()).toBe('a,b\r\n');
  });

  it('asks for a file only when its reader has taken the one before', async () => {
    let asked = -1;
    const zip = zipOf(
      files(1000, 500_000, (index) => (asked = index)),
      closing,
    );
    for (let taken = 0; taken < 5; taken++) await zip.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBeLessThan(10);
    await zip.return();
  });

  it('ends its work when the reader leaves', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<ZipEntry<Buffer>, void, undefined> {
      try {
        yield* files(Infinity, 100, () => undefined);
      } finally {
        ended = true;
      }
    }
    const zip = zipOf(endless(), closing);
    await zip.next();
    await zip.return();
    expect(ended).toBe(true);
  });

  it('fails where a file fails, and where the closing one does', async () => {
    async function* failing(): AsyncGenerator<ZipEntry<Buffer>, void, undefined> {
      yield* files(2, 100, () => undefined);
      throw new Error('the database is gone');
    }
    await expect(read(zipOf(failing(), closing))).rejects.toThrow('the database is gone');
    const broken = () => ({
      ...closing(),
      content: new Readable({
        read() {
          this.destroy(new Error('the file is gone'));
        },
      }),
    });
    await expect(
      read(
        zipOf(
          files(2, 100, () => undefined),
          broken,
        ),
      ),
    ).rejects.toThrow('the file is gone');
  });
});
