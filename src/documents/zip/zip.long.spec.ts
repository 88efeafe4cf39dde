import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { onFile } from '../../../test/export/tools.js';
import { describeWithTool } from '../../../test/support/tools.js';
import { type ZipEntry, zipOf } from './zip.js';

const DATE = new Date('2026-11-21T12:34:56Z');

async function* files(count: number, size: number, asked: (index: number) => void = () => undefined) {
  for (let index = 0; index < count; index++) {
    asked(index);
    yield await Promise.resolve({ name: `file-${index}`, date: DATE, content: Buffer.alloc(size, index) });
  }
}

async function collected(zip: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const read = async (zip: AsyncIterable<Buffer>) => unzipSync(await collected(zip));

describe('a ZIP', () => {
  it('contains all files unchanged', async () => {
    const found = await read(zipOf(files(300, 20_000)));
    expect(Object.keys(found)).toHaveLength(300);
    expect(Buffer.from(found['file-7'] ?? []).equals(Buffer.alloc(20_000, 7))).toBe(true);
  });

  it('contains streamed content completely', async () => {
    async function* streamed(): AsyncGenerator<ZipEntry, void, undefined> {
      const whole = Buffer.from('a,b\r\n');
      const content = Readable.from([whole.subarray(0, 2), whole.subarray(2)]);
      yield await Promise.resolve({ name: 'manifest.csv', date: DATE, content });
    }
    const found = await read(zipOf(streamed()));
    expect(Buffer.from(found['manifest.csv'] ?? []).toString()).toBe('a,b\r\n');
  });

  it('is a valid ZIP without any files', async () => {
    expect(await read(zipOf(files(0, 0)))).toEqual({});
  });

  it('requests the next file only after the reader has read the one before', async () => {
    let asked = -1;
    const zip = zipOf(files(1000, 500_000, (index) => (asked = index)));
    for (let taken = 0; taken < 5; taken++) await zip.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBeLessThan(10);
    await zip.return();
  });

  it('stops reading entries when the reader stops', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<ZipEntry, void, undefined> {
      try {
        yield* files(Infinity, 100);
      } finally {
        ended = true;
      }
    }
    const zip = zipOf(endless());
    await zip.next();
    await zip.return();
    expect(ended).toBe(true);
  });

  it('fails if an entry fails', async () => {
    async function* failing(): AsyncGenerator<ZipEntry, void, undefined> {
      yield* files(2, 100);
      throw new Error('the database is gone');
    }
    await expect(read(zipOf(failing()))).rejects.toThrow('the database is gone');
  });

  it('fails if the stream of an entry fails', async () => {
    async function* failing(): AsyncGenerator<ZipEntry, void, undefined> {
      yield* files(2, 100);
      const content = new Readable({ read: () => content.destroy(new Error('the disk is gone')) });
      yield { name: 'manifest.csv', date: DATE, content };
    }
    await expect(read(zipOf(failing()))).rejects.toThrow('the disk is gone');
  });

  it('closes the stream of the current entry when the reader stops', async () => {
    const content = new Readable({ read: () => content.push(randomBytes(65_536)) });
    async function* endless(): AsyncGenerator<ZipEntry, void, undefined> {
      yield await Promise.resolve({ name: 'endless', date: DATE, content });
    }
    const zip = zipOf(endless());
    for (let taken = 0; taken < 5; taken++) await zip.next();
    await zip.return();
    expect(content.destroyed).toBe(true);
  });

  it('passes on a streamed entry of many megabytes, and pauses it while the reader is slow', async () => {
    let made = 0;
    const content = new Readable({
      read: () => content.push(made++ < 200 ? randomBytes(65_536) : null),
    });
    async function* large(): AsyncGenerator<ZipEntry, void, undefined> {
      yield await Promise.resolve({ name: 'large', date: DATE, content });
    }
    const zip = zipOf(large());
    await zip.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made).toBeLessThan(100);
    const rest = await collected(zip);
    expect(rest.length).toBeGreaterThan(199 * 65_536);
  });
});

describeWithTool('python3', 'another program', () => {
  const SCRIPT = `
import sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
print(len(zip.namelist()), zip.testzip(), zip.infolist()[-1].filename, zip.infolist()[0].date_time)`;
  const inspect = (bytes: Buffer) => onFile('python3', ['-c', SCRIPT, '{}'], bytes);

  it('reads a ZIP with more files than the classic format can count', async () => {
    const bytes = await collected(zipOf(files(70_000, 3)));
    expect((await inspect(bytes)).trim()).toBe('70000 None file-69999 (2026, 11, 21, 12, 34, 56)');
  }, 240_000);
});
