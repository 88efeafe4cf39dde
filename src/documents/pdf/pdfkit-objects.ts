import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { PdfObject, type PdfParts, streamObject } from './pdf-file.js';

/**
 * What PDFKit takes for a reference into its own file, and asks to hold a part of a font or a picture: it is kept here
 * instead, packed, for as many files as want it.
 */
class CollectedObject {
  private readonly chunks: Uint8Array[] = [];
  private made: PdfObject | undefined;
  ended = false;

  constructor(readonly data: Record<string, unknown> = {}) {}

  write(chunk: Uint8Array | string): void {
    this.chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk);
  }

  end(chunk?: Uint8Array | string): void {
    if (chunk !== undefined) this.write(chunk);
    this.ended = true;
  }

  get object(): PdfObject {
    this.made ??= this.make();
    return this.made;
  }

  private make(): PdfObject {
    const bytes = Buffer.concat(this.chunks);
    if (bytes.length === 0) return new PdfObject(written(this.data));
    const packed = 'Filter' in this.data;
    const data = packed ? this.data : { ...this.data, Filter: 'FlateDecode' };
    const entries = Object.entries(data).flatMap(([name, value]) => [`/${name} `, ...written(value)]);
    return streamObject(entries, packed ? bytes : deflateSync(bytes));
  }
}

/** As PDFKit means its values: a string is a name, a `String` is text. */
function written(value: unknown): PdfParts {
  if (value instanceof CollectedObject) return [value.object];
  if (value instanceof String) return [`(${value.valueOf()})`];
  if (typeof value === 'string') return [`/${value}`];
  if (typeof value === 'number') return [String(Math.round(value * 1e6) / 1e6)];
  if (Array.isArray(value)) return ['[', ...value.flatMap((one) => [...written(one), ' ']), ']'];
  if (typeof value === 'object' && value !== null)
    return [
      '<<',
      ...Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .flatMap(([name, one]) => [`/${name} `, ...written(one)]),
      '>>',
    ];
  return [String(value)];
}

/** What of PDFKit's fonts is used here, beyond what its types tell. */
export interface PdfKitFont {
  readonly subset: { readonly glyphs: readonly number[]; includeGlyph(id: number): number };
  /** Widths in thousandths of the size, and what each glyph stands for, by its number in the subset. */
  readonly widths: (number | undefined)[];
  readonly unicode: (readonly number[] | undefined)[];
  readonly scale: number;
  dictionary: unknown;
  embed(): void;
}

interface OpenDocument {
  ref(data?: Record<string, unknown>): CollectedObject;
  addContent(operator: string): unknown;
  readonly _font: PdfKitFont;
  readonly page: { readonly xobjects: Record<string, CollectedObject> };
}

/** A document of PDFKit that is never written: it only makes parts. */
function workshop(): { doc: PDFKit.PDFDocument; open: OpenDocument; drawn: string[] } {
  const doc = new PDFDocument({ font: '', margin: 0 });
  const open = doc as unknown as OpenDocument;
  const drawn: string[] = [];
  open.ref = (data) => new CollectedObject(data);
  open.addContent = (operator) => drawn.push(operator);
  return { doc, open, drawn };
}

/** A parsed font, ready to have glyphs put into a subset. */
export function pdfKitFont(font: object, name: string): PdfKitFont {
  const { doc, open } = workshop();
  doc.font(font as unknown as PDFKit.Mixins.PDFFontSource, name);
  return open._font;
}

/** The font with the glyphs it has by now. */
export function fontObject(font: PdfKitFont): PdfObject {
  const collected = new CollectedObject();
  font.dictionary = collected;
  font.embed();
  return collected.object;
}

export interface Picture {
  readonly object: PdfObject;
  /** The operators that stretch it, and turn it where its EXIF says so. */
  readonly place: string;
}

interface KnownPicture {
  readonly bytes: Buffer;
  readonly inPlaces: Map<string, Picture>;
}

/** A logo is on every receipt, but comes to the thread that draws them as a copy each time. */
const MOST_KNOWN = 8;
const pictures: KnownPicture[] = [];

function known(source: Uint8Array): KnownPicture {
  const found = pictures.find(({ bytes }) => bytes.equals(source));
  if (found) return found;
  if (pictures.length === MOST_KNOWN) pictures.shift();
  const added = { bytes: Buffer.from(source), inPlaces: new Map<string, Picture>() };
  pictures.push(added);
  return added;
}

/**
 * A PNG without transparency or a JPEG fitted into a box, at its left top; points from the left top of the page.
 * @throws where it is neither
 */
export function picture(
  source: Uint8Array,
  box: { x: number; y: number; width: number; height: number },
): Picture {
  const { bytes, inPlaces } = known(source);
  const key = `${box.x} ${box.y} ${box.width} ${box.height}`;
  let found = inPlaces.get(key);
  if (!found) {
    const { doc, open, drawn } = workshop();
    doc.image(bytes, box.x, box.y, { fit: [box.width, box.height] });
    const [[label, collected] = []] = Object.entries(open.page.xobjects);
    // Transparency is decoded later, and would not be there yet.
    if (!collected?.ended) throw new Error('only pictures without transparency can be printed');
    const place = drawn.filter((operator) => !['q', 'Q', `/${label} Do`].includes(operator)).join(' ');
    found = { object: collected.object, place };
    inPlaces.set(key, found);
  }
  return found;
}
