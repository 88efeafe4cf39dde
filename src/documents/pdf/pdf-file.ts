/** Pieces of an object as they stand in the file, and the objects that it refers to. */
export type PdfParts = readonly (string | PdfObject)[];

/**
 * An object of a PDF that has no number yet: any number of files may hold it, as all receipts hold the same fonts. The
 * text is Latin-1.
 */
export class PdfObject {
  /** Filled in later where two objects refer to each other. */
  constructor(
    public parts: PdfParts = [],
    readonly stream?: Uint8Array,
  ) {}
}

/** An object with a stream; `entries` are those of its dictionary, without the length. */
export const streamObject = (entries: PdfParts, stream: Uint8Array): PdfObject =>
  new PdfObject(['<<', ...entries, `/Length ${stream.length}>>`], stream);

const NOT_ASCII = /[^\t\n\r -~]/;
const ESCAPED = /[\\()\r]/g;

/** A text string: in Latin letters as it is, otherwise in UTF-16. */
export function textString(text: string): string {
  if (!NOT_ASCII.test(text))
    return `(${text.replace(ESCAPED, (letter) => (letter === '\r' ? '\\r' : `\\${letter}`))})`;
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
  return `<${bytes.toString('hex')}>`;
}

/** `D:YYYYMMDDHHMMSSZ`. */
export const dateString = (time: Date): string =>
  `(D:${time.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z)`;

/** A number as PDF writes it, to a thousandth of a point. */
export const decimal = (value: number): number => Math.round(value * 1000) / 1000;

/** The bytes of a document: every object that its catalog leads to, a table of where they are, and the trailer. */
export function pdfFile(catalog: PdfObject, info: PdfObject): Buffer {
  const numbers = new Map<PdfObject, number>();
  const waiting: PdfObject[] = [];
  const numberOf = (object: PdfObject): number => {
    let number = numbers.get(object);
    if (number === undefined) {
      number = waiting.push(object);
      numbers.set(object, number);
    }
    return number;
  };
  numberOf(catalog);
  numberOf(info);

  const chunks: Uint8Array[] = [];
  const offsets: number[] = [];
  let text = '%PDF-1.7\n%\xFF\xFF\xFF\xFF\n';
  let written = 0;
  const flush = (): void => {
    chunks.push(Buffer.from(text, 'latin1'));
    written += text.length;
    text = '';
  };
  // Writing one finds those that it refers to: the list grows while this goes through it.
  for (let index = 0; index < waiting.length; index++) {
    const object = waiting[index] as PdfObject;
    offsets.push(written + text.length);
    text += `${index + 1} 0 obj\n`;
    for (const part of object.parts) text += typeof part === 'string' ? part : `${numberOf(part)} 0 R`;
    if (object.stream) {
      text += '\nstream\n';
      flush();
      chunks.push(object.stream);
      written += object.stream.length;
      text += '\nendstream';
    }
    text += '\nendobj\n';
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = written + text.length;
  const size = offsets.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<</Size ${size}/Root 1 0 R/Info 2 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  flush();
  return Buffer.concat(chunks);
}
