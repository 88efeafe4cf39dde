import { crc32 } from 'node:zlib';

/** One file of a ZIP. It is stored as it is: PDFs are compressed inside. */
export interface ZipEntry {
  /** A plain file name. */
  readonly name: string;
  readonly date: Date;
  /** Bytes; below 4 GB. */
  readonly size: number;
  /** Of the whole content. */
  readonly crc32: number;
  readonly content: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** An entry for what is in memory. */
export const zipEntry = (name: string, date: Date, content: Buffer): ZipEntry => ({
  name,
  date,
  size: content.length,
  crc32: crc32(content),
  content: [content],
});

/**
 * A ZIP file as it grows, with the ZIP64 records where it has 65 535 files or 4 GB. No entry is asked for before
 * the reader has taken the one before; what is remembered of each is its line in the directory, some 75 bytes.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer, void, undefined> {
  const directory = new Directory();
  let offset = 0;
  for await (const entry of entries) {
    if (entry.size > MAX_32) throw new RangeError(`${entry.name} is too large for a ZIP entry`);
    const header = localHeader(entry);
    directory.add(entry, offset);
    yield header;
    yield* entry.content;
    offset += header.length + entry.size;
  }
  yield* directory.pages();
  yield endOf(directory, offset);
}

// Numbers and layouts: PKWARE's APPNOTE 6.3.10, sections 4.3.7 to 4.3.16.
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_ON_UNIX = 3 << 8;
const UTF8_NAMES = 0x0800;
const PAGE = 256 * 1024;

function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, entry, name.length);
  return Buffer.concat([header, name]);
}

/** What local and central headers share, 22 bytes: flags, method, time, checksum, sizes, length of the name. */
function writeCommon(
  header: Buffer,
  at: number,
  { date, size, crc32: checksum }: ZipEntry,
  nameLength: number,
): void {
  header.writeUInt16LE(UTF8_NAMES, at);
  // Method 0: stored.
  header.writeUInt16LE(
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    at + 4,
  );
  const years = Math.max(0, date.getUTCFullYear() - 1980);
  header.writeUInt16LE((years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), at + 6);
  header.writeUInt32LE(checksum, at + 8);
  header.writeUInt32LE(size, at + 12);
  header.writeUInt32LE(size, at + 16);
  header.writeUInt16LE(nameLength, at + 20);
}

/** The central directory, in pages: a hundred thousand small buffers would weigh many times what they hold. */
class Directory {
  count = 0;
  length = 0;
  private readonly full: Buffer[] = [];
  private page = Buffer.alloc(PAGE);
  private used = 0;

  add(entry: ZipEntry, offset: number): void {
    const name = Buffer.from(entry.name);
    const far = offset >= MAX_32;
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(MADE_ON_UNIX | VERSION_ZIP64, 4);
    header.writeUInt16LE(far ? VERSION_ZIP64 : VERSION, 6);
    writeCommon(header, 8, entry, name.length);
    header.writeUInt16LE(far ? 12 : 0, 30);
    header.writeUInt32LE((0o100644 << 16) >>> 0, 38);
    header.writeUInt32LE(far ? MAX_32 : offset, 42);
    this.append([header, name, ...(far ? [farOffset(offset)] : [])]);
    this.count++;
  }

  pages(): Buffer[] {
    return [...this.full, this.page.subarray(0, this.used)];
  }

  private append(parts: readonly Buffer[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.used + length > PAGE) {
      this.full.push(this.page.subarray(0, this.used));
      this.page = Buffer.alloc(PAGE);
      this.used = 0;
    }
    for (const part of parts) this.used += part.copy(this.page, this.used);
    this.length += length;
  }
}

/** The ZIP64 extra field of an entry that begins beyond 4 GB. */
function farOffset(offset: number): Buffer {
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(offset), 4);
  return extra;
}

/** The end records, for a directory that begins at `offset`. */
function endOf({ count, length }: Directory, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(length, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  const plain = count < MAX_16 && length < MAX_32 && offset < MAX_32;
  return plain ? end : Buffer.concat([zip64End(count, length, offset), end]);
}

function zip64End(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_ON_UNIX | VERSION_ZIP64, 12);
  end.writeUInt16LE(VERSION_ZIP64, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(length), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  // The locator: where the record above is.
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + length), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
