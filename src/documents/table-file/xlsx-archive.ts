import { SaxesParser } from 'saxes';
import { type Entry, fromBufferPromise } from 'yauzl';
import { TableError } from './table.js';

/** Maximum size of all unpacked parts together, because a small file can unpack to gigabytes. */
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024;

/** The parts of an XLSX workbook, unpacked. */
export type Archive = ReadonlyMap<string, Buffer>;

/**
 * Unpacks the XML parts of a workbook.
 * @throws TableError
 */
export async function unpack(bytes: Uint8Array): Promise<Archive> {
  const parts = new Map<string, Buffer>();
  let unpacked = 0;
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) {
      if (!isNeeded(entry)) continue;
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        chunks.push(chunk as Buffer);
        unpacked += (chunk as Buffer).length;
        if (unpacked > MOST_UNPACKED_BYTES) throw new TableError('TABLE_TOO_LARGE');
      }
      parts.set(entry.fileName, Buffer.concat(chunks));
    }
  } catch (error) {
    throw error instanceof TableError ? error : new TableError('TABLE_UNREADABLE');
  }
  return parts;
}

const isNeeded = ({ fileName }: Entry): boolean =>
  /^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+)\.xml$|^xl\/_rels\/workbook\.xml\.rels$/.test(
    fileName,
  );

export interface XmlEvents {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Reads the elements of an XML part. The names of elements have no namespace prefix. The parser reads no
 * external entities.
 * @throws TableError `TABLE_UNREADABLE`
 */
export function readXml(part: Buffer | undefined, { open, text, close }: XmlEvents): void {
  if (!part) return;
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw new TableError('TABLE_UNREADABLE');
  });
  parser.on('opentag', ({ name, attributes }) => {
    open(localName(name), attributes);
  });
  if (text) parser.on('text', text);
  if (close)
    parser.on('closetag', ({ name }) => {
      close(localName(name));
    });
  parser.write(part.toString('utf8')).close();
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
