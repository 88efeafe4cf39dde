import PDFDocument from 'pdfkit';
import { layOutText, type TextLine, type TextStyle } from './text-layout.js';

/** A4 in points, and the margins everything stays within. */
export const PAGE = { width: 595.28, height: 841.89, margin: 56 };
export const CONTENT_WIDTH = PAGE.width - 2 * PAGE.margin;

export interface DrawnStyle extends TextStyle {
  readonly color: string;
  /** Distance between baselines as a multiple of the size. */
  readonly leading?: number;
}

export interface TextBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly align?: 'left' | 'right' | 'center';
  readonly maxLines?: number;
}

export interface DocumentFacts {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** BCP 47, of the labels. */
  readonly language: string;
  readonly createdAt: Date;
}

type StructureType = 'H1' | 'H2' | 'P';

const ASCENT = 1.07;
const LEADING = 1.36;
/** Scripts whose letters are drawn in another order than they are read in: screen readers get the text itself. */
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

/**
 * One tagged A4 document being drawn: text in any script, rules, boxes. Positions are points from the top
 * left corner of the page.
 */
export class Sheet {
  private readonly doc: PDFKit.PDFDocument;
  private readonly chunks: Buffer[] = [];
  private readonly finished: Promise<void>;
  private readonly root: PDFKit.PDFStructureElement;

  constructor(facts: DocumentFacts) {
    this.doc = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      // No standard font: every glyph comes from an embedded one.
      font: '',
      pdfVersion: '1.7',
      tagged: true,
      displayTitle: true,
      lang: facts.language,
      info: {
        Title: facts.title,
        Author: facts.author,
        Subject: facts.subject,
        Creator: 'Fundraising Donations Service',
        CreationDate: facts.createdAt,
      },
    });
    this.finished = new Promise((resolve, reject) => {
      this.doc.on('data', (chunk: Buffer) => this.chunks.push(chunk));
      this.doc.once('end', resolve);
      this.doc.once('error', reject);
    });
    this.root = this.doc.struct('Document');
    this.doc.addStructure(this.root);
  }

  addPage(): void {
    this.doc.addPage();
  }

  /** Draws text that a screen reader reads as one block. Returns the height it took. */
  text(text: string, style: DrawnStyle, box: TextBox, type: StructureType = 'P'): number {
    const lines = layOutText(text, style, box.width, box.maxLines);
    this.root.add(
      this.doc.struct(type, REORDERED.test(text) ? { actual: text } : {}, () => {
        lines.forEach((line, index) => {
          this.line(line, style, box, index);
        });
      }),
    );
    return heightOf(lines.length, style);
  }

  /** Height of a text without drawing it. */
  height(text: string, style: DrawnStyle, width: number, maxLines?: number): number {
    return heightOf(layOutText(text, style, width, maxLines).length, style);
  }

  rule(x: number, y: number, width: number, color: string, thickness = 0.6): void {
    this.decoration(() => this.doc.rect(x, y, width, thickness).fill(color));
  }

  box(
    box: { x: number; y: number; width: number; height: number; radius?: number },
    colors: { fill?: string; stroke?: string },
  ): void {
    this.decoration(() => {
      this.doc.roundedRect(box.x, box.y, box.width, box.height, box.radius ?? 0);
      if (colors.fill) this.doc.fill(colors.fill);
      else this.doc.lineWidth(1).stroke(colors.stroke ?? '#000000');
    });
  }

  /** A picture fitted into a box, at its left top. */
  image(source: Buffer, box: { x: number; y: number; width: number; height: number }, alt: string): void {
    this.root.add(
      this.doc.struct('Figure', { alt }, () => {
        this.doc.image(source, box.x, box.y, { fit: [box.width, box.height] });
      }),
    );
  }

  /** A word across the whole page, behind nothing and over everything. */
  stamp(text: string, style: DrawnStyle, opacity: number): void {
    const [line] = layOutText(text, style, Infinity);
    if (!line) return;
    const center: [number, number] = [PAGE.width / 2, PAGE.height / 2];
    this.decoration(() => {
      this.doc.save().rotate(-35, { origin: center }).fillOpacity(opacity);
      const x = center[0] - line.width / 2;
      this.line(line, style, { x, y: center[1] - style.size / 2, width: line.width }, 0);
      this.doc.restore();
    });
  }

  /** Ends the document. */
  async bytes(): Promise<Buffer> {
    this.root.end();
    this.doc.end();
    await this.finished;
    return Buffer.concat(this.chunks);
  }

  private line(line: TextLine, style: DrawnStyle, box: TextBox, index: number): void {
    const room = box.width - line.width;
    let x = box.x + (box.align === 'right' ? room : box.align === 'center' ? room / 2 : 0);
    const baseline = box.y + ASCENT * style.size + index * style.size * (style.leading ?? LEADING);
    this.doc.fillColor(style.color).fontSize(style.size);
    for (const run of line.runs) {
      this.doc
        .font(run.typeface.font as unknown as PDFKit.Mixins.PDFFontSource, run.typeface.file)
        // With features named, a run is shaped as a whole and not word by word.
        .text(run.text, x, baseline, { lineBreak: false, baseline: 'alphabetic', features: ['kern'] });
      x += run.width;
    }
  }

  private decoration(draw: () => unknown): void {
    this.doc.markContent('Artifact', { type: 'Layout' });
    draw();
    this.doc.endMarkedContent();
  }
}

const heightOf = (lines: number, style: DrawnStyle) => lines * style.size * (style.leading ?? LEADING);
