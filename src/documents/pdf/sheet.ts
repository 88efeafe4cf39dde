import { randomBytes } from 'node:crypto';
import PDFDocument from 'pdfkit';
import { isRightToLeft } from '../../common/text/direction.js';
import { layOutText, type TextLine, type TextStyle } from './text-layout.js';

/** Width and height of A4 and the margin on all sides, in points. */
export const PAGE = { width: 595.28, height: 841.89, margin: 56 };
export const CONTENT_WIDTH = PAGE.width - 2 * PAGE.margin;

/** Appearance of receipts, statements and summaries: colours, text styles, sizes in points. */
export const INK = '#1c2b33';
export const MUTED = '#5b6b73';
export const ACCENT = '#0b5d5e';
export const TINT = '#eef5f4';
export const LINE = '#d5dfe0';
export const ALERT = '#a4161a';

export const TITLE: DrawnStyle = { size: 20, weight: 'bold', color: ACCENT };
export const ORGANIZATION: DrawnStyle = { size: 15, weight: 'bold', color: INK };
export const LABEL: DrawnStyle = { size: 9.5, weight: 'regular', color: MUTED };
export const STRONG: DrawnStyle = { size: 10.5, weight: 'bold', color: INK };
export const FOOTER: DrawnStyle = { size: 8, weight: 'regular', color: MUTED };

const STAMP: DrawnStyle = { size: 118, weight: 'bold', color: ALERT };
const STAMP_OPACITY = 0.13;

export const LEFT = PAGE.margin;
/** Height of the bar at the top of each page. */
export const BAR = 7;

export interface DrawnStyle extends TextStyle {
  readonly color: string;
  /** Distance between baselines, as a multiple of the text size. */
  readonly leading?: number;
}

export interface TextBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Side at which each line begins, on a page that is read from left to right. */
  readonly align?: 'left' | 'right' | 'center';
  readonly maxLines?: number;
}

export interface DocumentFacts {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** BCP 47 language of the labels. */
  readonly language: string;
  readonly createdAt: Date;
  /** Width and height of the paper in points; A4 if absent. */
  readonly paper?: Paper;
  /** True if viewers must refuse changes of the file. Printing, copying and screen readers are allowed. */
  readonly isLocked?: boolean;
}

export interface Paper {
  readonly width: number;
  readonly height: number;
}

type StructureType = 'H1' | 'H2' | 'P';

const ASCENT = 1.07;
const LEADING = 1.36;
/** Angle of a stamp in degrees. The text rises to the right. */
const SLANT = -35;
/** Scripts whose drawing order differs from the reading order. For these, screen readers get the original text. */
const REORDERED = new RegExp(
  [
    ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
    ...['Sinhala', 'Tibetan', 'Myanmar', 'Khmer', 'Javanese'],
  ]
    .map((script) => `\\p{Script=${script}}`)
    .concat('\\p{Extended_Pictographic}', '\\p{Regional_Indicator}')
    .join('|'),
  'u',
);

/** The password that unlocks the file is not kept. */
const LOCKED = () => ({
  ownerPassword: randomBytes(24).toString('base64url'),
  permissions: { printing: 'highResolution', copying: true, contentAccessibility: true } as const,
});

const CREATOR = 'Fundraising Donations Service';

/**
 * A tagged document, A4 unless another paper is given. It draws text in any script, lines and boxes. Positions are in points from the top left corner. In a
 * language that is read from right to left, the page is mirrored: positions count from the top right corner.
 */
export class Sheet {
  private readonly doc: PDFKit.PDFDocument;
  private readonly document: ReturnType<PDFKit.PDFDocument['struct']>;
  /** The document, or its current part. */
  private root: ReturnType<PDFKit.PDFDocument['struct']>;
  private isMirrored: boolean;
  private readonly paper: Paper;

  constructor({
    title,
    author,
    subject,
    language,
    createdAt,
    paper = PAGE,
    isLocked = false,
  }: DocumentFacts) {
    this.paper = paper;
    this.doc = new PDFDocument({
      size: [paper.width, paper.height],
      margin: 0,
      // Without a font, PDFKit does not load the standard font. The documents do not use the standard font.
      font: '',
      pdfVersion: '1.7',
      tagged: true,
      lang: language,
      displayTitle: true,
      ...(isLocked && LOCKED()),
      info: {
        Title: title,
        Author: author,
        Subject: subject,
        Creator: CREATOR,
        Producer: CREATOR,
        CreationDate: createdAt,
      },
    });
    this.isMirrored = isRightToLeft(language);
    this.document = this.root = this.doc.struct('Document');
    this.doc.addStructure(this.document);
  }

  addPage(): void {
    this.doc.addPage();
  }

  /** Begins a part in another language on a new page, such as a letter to another person. */
  addPart(language: string, { isFirst }: { readonly isFirst: boolean }): void {
    if (!isFirst) this.addPage();
    this.isMirrored = isRightToLeft(language);
    const part = this.doc.struct('Sect', { lang: language });
    this.document.add(part);
    this.root = part;
  }

  /** Draws a part whose places are the same in every language, such as a form. */
  unmirrored(draw: () => void): void {
    const before = this.isMirrored;
    this.isMirrored = false;
    draw();
    this.isMirrored = before;
  }

  /** Draws a text as one block for screen readers. Returns the height of the text. */
  text(text: string, style: DrawnStyle, box: TextBox, type: StructureType = 'P'): number {
    const lines = layOutText(text, style, box.width, box.maxLines);
    const place = { ...box, x: this.left(box), align: this.side(box.align ?? 'left') };
    const draw = () => {
      lines.forEach((line, index) => {
        this.line(line, style, place, index);
      });
    };
    this.root.add(this.doc.struct(type, REORDERED.test(text) ? { actual: text } : {}, draw));
    return heightOf(lines.length, style);
  }

  /** Returns the height of a text without drawing the text. */
  height(text: string, style: DrawnStyle, width: number, maxLines?: number): number {
    return heightOf(layOutText(text, style, width, maxLines).length, style);
  }

  rule(x: number, y: number, width: number, color: string, thickness = 0.6): void {
    this.decoration(() => this.doc.rect(this.left({ x, width }), y, width, thickness).fill(color));
  }

  box(
    box: { x: number; y: number; width: number; height: number; radius?: number },
    colors: { fill?: string; stroke?: string },
  ): void {
    const { y, width, height, radius = 0 } = box;
    const x = this.left(box);
    const { fill, stroke = '#000000' } = colors;
    this.decoration(() => {
      if (radius === 0) this.doc.rect(x, y, width, height);
      else this.doc.roundedRect(x, y, width, height, radius);
      if (fill) this.doc.fill(fill);
      else this.doc.lineWidth(1).stroke(stroke);
    });
  }

  /** Draws a PNG or JPEG at the top of a box, at its reading side or in its middle. The image is scaled to fit the box. */
  image(
    source: Uint8Array,
    box: { x: number; y: number; width: number; height: number },
    alt: string,
    side: 'left' | 'center' = 'left',
  ): void {
    const { y, width, height } = box;
    const align = side === 'center' ? { align: side } : this.isMirrored ? ({ align: 'right' } as const) : {};
    const draw = () => {
      this.doc.image(Buffer.from(source), this.left(box), y, { fit: [width, height], ...align });
    };
    this.root.add(this.doc.struct('Figure', { alt }, draw));
  }

  /**
   * Draws a QR code in black.
   * @param rows the modules of each row; true is dark
   */
  code(
    rows: readonly (readonly boolean[])[],
    box: { x: number; y: number; width: number },
    alt: string,
  ): void {
    const module = box.width / rows.length;
    const left = this.left(box);
    const draw = () => {
      rows.forEach((row, top) => {
        // Neighbouring dark modules are one rectangle. This makes the file smaller and leaves no hairlines between them.
        let start = 0;
        row.forEach((isDark, column) => {
          if (!isDark) start = column + 1;
          else if (row[column + 1] !== true)
            this.doc.rect(left + start * module, box.y + top * module, (column + 1 - start) * module, module);
        });
      });
      this.doc.fill('#000000');
    };
    this.root.add(this.doc.struct('Figure', { alt }, draw));
  }

  /** Draws a part of the page upside down, for the back of a folded card. */
  upsideDown(
    { x, y, width, height }: { x: number; y: number; width: number; height: number },
    draw: () => void,
  ): void {
    const centre: [number, number] = [this.left({ x, width }) + width / 2, y + height / 2];
    this.doc.save().rotate(180, { origin: centre });
    draw();
    this.doc.restore();
  }

  /** Draws a word across the whole page, above all other content. */
  stamp(text: string): void {
    const [line] = layOutText(text, STAMP, Infinity);
    if (!line) return;
    const [x, y] = [this.paper.width / 2, this.paper.height / 2];
    this.decoration(() => {
      this.doc
        .save()
        .rotate(SLANT, { origin: [x, y] })
        .fillOpacity(STAMP_OPACITY);
      this.line(line, STAMP, { x: x - line.width / 2, y: y - STAMP.size / 2, width: line.width }, 0);
      this.doc.restore();
    });
  }

  /** Ends the document and returns the file. */
  bytes(): Buffer {
    this.doc.end();
    return this.doc.read() as Buffer;
  }

  private line(line: TextLine, style: DrawnStyle, box: TextBox, index: number): void {
    const room = box.width - line.width;
    let x = box.x + (box.align === 'right' ? room : box.align === 'center' ? room / 2 : 0);
    const baseline = box.y + ASCENT * style.size + index * style.size * (style.leading ?? LEADING);
    this.doc.fontSize(style.size).fillColor(style.color);
    for (const { text, typeface, width } of line.runs) {
      this.doc.font(typeface.source, typeface.file).text(text, x, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        // With a features list, PDFKit shapes the whole run. Without it, PDFKit shapes each word alone.
        features: [],
      });
      x += width;
    }
  }

  /** Distance of a box from the left edge of the paper. */
  private left({ x, width }: { readonly x: number; readonly width: number }): number {
    return this.isMirrored ? this.paper.width - x - width : x;
  }

  private side(align: 'left' | 'right' | 'center'): 'left' | 'right' | 'center' {
    if (!this.isMirrored || align === 'center') return align;
    return align === 'left' ? 'right' : 'left';
  }

  /** Draws a decoration that screen readers skip. */
  private decoration(draw: () => void): void {
    this.doc.markContent('Artifact', { type: 'Layout' });
    draw();
    this.doc.endMarkedContent();
  }
}

const heightOf = (lines: number, style: DrawnStyle) => lines * style.size * (style.leading ?? LEADING);
