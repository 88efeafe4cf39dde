import { deflateSync } from 'node:zlib';
import { EmbeddedFont, sharedFont } from './embedded-font.js';
import {
  dateString,
  decimal,
  pdfFile,
  PdfObject,
  type PdfParts,
  streamObject,
  textString,
} from './pdf-file.js';
import { picture, type Picture } from './pdfkit-objects.js';
import { layOutText, type TextLine, type TextStyle } from './text-layout.js';
import type { Typeface } from './typeface.js';
import { isBaseTypeface } from './typefaces.js';

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
/** Of a stamp: rising to the right. */
const SLANT = (-35 * Math.PI) / 180;
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

/** How far the handles of a curve stand from its ends, for a quarter of a circle. */
const CIRCLE = 0.5523;
/** The page is drawn from the top down. */
const FROM_THE_TOP = `1 0 0 -1 0 ${PAGE.height} cm`;
/** A third of the time that packing usually takes, for a twentieth more bytes of a page; and room for a page only. */
const PACKING = { level: 3, windowBits: 13, memLevel: 6, chunkSize: 4_096 };
const CREATOR = textString('Fundraising Donations Service');

interface OpenPage {
  readonly object: PdfObject;
  readonly operators: string[];
  /** The elements of the document's structure on it, by the number that its operators mark them with. */
  readonly marked: PdfObject[];
}

/**
 * One tagged A4 document being drawn: text in any script, rules, boxes. Positions are points from the top
 * left corner of the page.
 *
 * It writes its pages itself; fonts and pictures are made by PDFKit, once for many documents.
 */
export class Sheet {
  private readonly pages: OpenPage[] = [];
  private readonly catalog = new PdfObject();
  private readonly tree = new PdfObject();
  private readonly root = new PdfObject();
  private readonly resources = new PdfObject();
  private readonly parent = new PdfObject();
  private readonly elements: PdfObject[] = [];
  private readonly fonts = new Map<Typeface, { readonly name: string; readonly font: EmbeddedFont }>();
  private readonly pictures: Picture[] = [];
  private readonly opacities: number[] = [];
  private page: OpenPage;

  constructor(private readonly facts: DocumentFacts) {
    this.page = this.openPage();
  }

  addPage(): void {
    this.page = this.openPage();
  }

  /** Draws text that a screen reader reads as one block. Returns the height it took. */
  text(text: string, style: DrawnStyle, box: TextBox, type: StructureType = 'P'): number {
    const lines = layOutText(text, style, box.width, box.maxLines);
    this.element(type, REORDERED.test(text) ? `/ActualText${textString(text)}` : '', () => {
      lines.forEach((line, index) => {
        this.line(line, style, box, index);
      });
    });
    return heightOf(lines.length, style);
  }

  /** Height of a text without drawing it. */
  height(text: string, style: DrawnStyle, width: number, maxLines?: number): number {
    return heightOf(layOutText(text, style, width, maxLines).length, style);
  }

  rule(x: number, y: number, width: number, color: string, thickness = 0.6): void {
    this.decoration(
      `${rgb(color)} rg`,
      `${decimal(x)} ${decimal(y)} ${decimal(width)} ${decimal(thickness)} re f`,
    );
  }

  box(
    box: { x: number; y: number; width: number; height: number; radius?: number },
    colors: { fill?: string; stroke?: string },
  ): void {
    const { fill, stroke = '#000000' } = colors;
    this.decoration(outline(box), fill ? `${rgb(fill)} rg f` : `1 w ${rgb(stroke)} RG S`);
  }

  /** A PNG without transparency or a JPEG fitted into a box, at its left top. */
  image(source: Uint8Array, box: { x: number; y: number; width: number; height: number }, alt: string): void {
    const drawn = picture(source, box);
    const name = `/I${this.pictures.push(drawn)}`;
    this.element('Figure', `/Alt${textString(alt)}`, () => {
      this.draw('q', drawn.place, `${name} Do Q`);
    });
  }

  /** A word across the whole page, behind nothing and over everything. */
  stamp(text: string, style: DrawnStyle, opacity: number): void {
    const [line] = layOutText(text, style, Infinity);
    if (!line) return;
    const [x, y] = [PAGE.width / 2, PAGE.height / 2];
    const [cos, sin] = [Math.cos(SLANT), Math.sin(SLANT)];
    this.draw('/Artifact<</Type/Layout>>BDC q', `/G${this.opacities.push(opacity)} gs`);
    this.draw(
      `${decimal(cos)} ${decimal(sin)} ${decimal(-sin)} ${decimal(cos)} ${decimal(x)} ${decimal(y)} cm`,
    );
    this.line(line, style, { x: -line.width / 2, y: -style.size / 2, width: line.width }, 0);
    this.draw('Q EMC');
  }

  /** Ends the document. */
  bytes(): Buffer {
    const { catalog, tree, root, parent, resources, pages, facts } = this;
    catalog.parts = [
      `<</Type/Catalog/Lang${textString(facts.language)}/MarkInfo<</Marked true>>`,
      ...['/ViewerPreferences<</DisplayDocTitle true>>/Pages ', parent, '/StructTreeRoot ', tree, '>>'],
    ];
    parent.parts = [
      `<</Type/Pages/Count ${pages.length}/Kids[`,
      ...list(pages.map(({ object }) => object)),
      ']>>',
    ];
    const marked = pages.flatMap(({ marked }, index) => [`${index}[`, ...list(marked), ']']);
    tree.parts = [
      '<</Type/StructTreeRoot/K[',
      root,
      ...[']/ParentTree<</Nums[', ...marked, `]>>/ParentTreeNextKey ${pages.length}>>`],
    ];
    root.parts = ['<</Type/StructElem/S/Document/P ', tree, '/K[', ...list(this.elements), ']>>'];
    resources.parts = this.usedResources();
    pages.forEach(({ object, operators }, index) => {
      const packed = deflateSync(Buffer.from(operators.join('\n'), 'latin1'), PACKING);
      const content = streamObject(['/Filter/FlateDecode'], packed);
      object.parts = [
        `<</Type/Page/MediaBox[0 0 ${PAGE.width} ${PAGE.height}]/Tabs/S/StructParents ${index}`,
        ...['/Parent ', parent, '/Resources ', resources, '/Contents ', content, '>>'],
      ];
    });
    return pdfFile(catalog, new PdfObject([`<<${this.description()}>>`]));
  }

  private description(): string {
    const { title, author, subject, createdAt } = this.facts;
    return (
      `/Title${textString(title)}/Author${textString(author)}/Subject${textString(subject)}` +
      `/Creator${CREATOR}/Producer${CREATOR}/CreationDate${dateString(createdAt)}`
    );
  }

  private usedResources(): PdfParts {
    return [
      '<</Font<<',
      ...[...this.fonts.values()].flatMap(({ name, font }) => [`${name} `, font.object]),
      '>>/XObject<<',
      ...this.pictures.flatMap(({ object }, index) => [`/I${index + 1} `, object]),
      '>>/ExtGState<<',
      ...this.opacities.map((opacity, index) => `/G${index + 1}<</ca ${decimal(opacity)}>>`),
      '>>>>',
    ];
  }

  private openPage(): OpenPage {
    const page = { object: new PdfObject(), operators: [FROM_THE_TOP], marked: [] };
    this.pages.push(page);
    return page;
  }

  /** What is drawn is one element of the document's structure. */
  private element(type: StructureType | 'Figure', attributes: string, draw: () => void): void {
    const { object, marked } = this.page;
    const mark = marked.length;
    const parts = [
      `<</Type/StructElem/S/${type}/K[${mark}]${attributes}/P `,
      this.root,
      '/Pg ',
      object,
      '>>',
    ];
    const element = new PdfObject(parts);
    marked.push(element);
    this.elements.push(element);
    this.draw(`/${type}<</MCID ${mark}>>BDC`);
    draw();
    this.draw('EMC');
  }

  private line(line: TextLine, style: DrawnStyle, box: TextBox, index: number): void {
    const room = box.width - line.width;
    let x = box.x + (box.align === 'right' ? room : box.align === 'center' ? room / 2 : 0);
    const baseline = box.y + ASCENT * style.size + index * style.size * (style.leading ?? LEADING);
    this.draw(`${rgb(style.color)} rg BT`);
    for (const run of line.runs) {
      const { name, font } = this.fontOf(run.typeface);
      this.draw(`${name} ${style.size} Tf ${font.show(run.text, style.size, x, baseline)}`);
      x += run.width;
    }
    this.draw('ET');
  }

  private fontOf(typeface: Typeface) {
    let used = this.fonts.get(typeface);
    if (!used) {
      const font = isBaseTypeface(typeface) ? sharedFont(typeface) : new EmbeddedFont(typeface);
      used = { name: `/F${this.fonts.size + 1}`, font };
      this.fonts.set(typeface, used);
    }
    return used;
  }

  /** Nothing that a screen reader would speak of. */
  private decoration(...operators: string[]): void {
    this.draw('/Artifact<</Type/Layout>>BDC', ...operators, 'EMC');
  }

  private draw(...operators: string[]): void {
    this.page.operators.push(...operators);
  }
}

const heightOf = (lines: number, style: DrawnStyle) => lines * style.size * (style.leading ?? LEADING);

const list = (objects: readonly PdfObject[]): PdfParts => objects.flatMap((object) => [object, ' ']);

const colors = new Map<string, string>();

/** `#rrggbb` as three parts of one. */
function rgb(color: string): string {
  let written = colors.get(color);
  if (written === undefined) {
    const part = (at: number) => decimal(Number.parseInt(color.slice(at, at + 2), 16) / 255);
    written = `${part(1)} ${part(3)} ${part(5)}`;
    colors.set(color, written);
  }
  return written;
}

/** The path around a box, its corners round or not. */
function outline(box: { x: number; y: number; width: number; height: number; radius?: number }): string {
  const { x, y, width, height, radius = 0 } = box;
  if (radius === 0) return `${decimal(x)} ${decimal(y)} ${decimal(width)} ${decimal(height)} re`;
  const [right, bottom] = [x + width, y + height];
  const handle = radius * (1 - CIRCLE);
  const to = (...numbers: number[]) => numbers.map(decimal).join(' ');
  return [
    `${to(x + radius, y)} m ${to(right - radius, y)} l`,
    `${to(right - handle, y, right, y + handle, right, y + radius)} c ${to(right, bottom - radius)} l`,
    `${to(right, bottom - handle, right - handle, bottom, right - radius, bottom)} c ${to(x + radius, bottom)} l`,
    `${to(x + handle, bottom, x, bottom - handle, x, bottom - radius)} c ${to(x, y + radius)} l`,
    `${to(x, y + handle, x + handle, y, x + radius, y)} c h`,
  ].join(' ');
}
