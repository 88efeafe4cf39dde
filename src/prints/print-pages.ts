import {
  ACCENT,
  BAR,
  type DrawnStyle,
  INK,
  LINE,
  MUTED,
  PAGE,
  type Paper,
  Sheet,
} from '../documents/pdf/sheet.js';
import type { PrintWording } from './print-wording.js';

// This code runs on the export thread.

/** The content that every print has. */
export interface PrintLook {
  readonly organization: string;
  /** PNG or JPEG. */
  readonly logo: Uint8Array | undefined;
  readonly colours: PrintColours;
  readonly event: string;
  readonly language: string;
  readonly wording: PrintWording;
  readonly createdAt: Date;
}

/** Colours of the branding, as `#rrggbb`. An absent colour is the one of all documents. */
export interface PrintColours {
  /** Colour of the bars. */
  readonly bar?: string | undefined;
  /** Colour of the invitation, readable on white paper. */
  readonly accent?: string | undefined;
  /** Dark background of the pages. A logo for a dark background would be invisible on white paper. */
  readonly backing?: { readonly fill: string; readonly ink: string } | undefined;
}

/** A code with the short form of its address. */
export interface PrintedCode {
  readonly rows: readonly (readonly boolean[])[];
  readonly address: string;
}

export interface PosterToDraw extends PrintLook {
  readonly code: PrintedCode;
  readonly paper: 'a4' | 'a3';
}

export interface CardsToDraw extends PrintLook {
  /** One card for each table: its text, such as `Table 7`, and its own code. */
  readonly cards: readonly { readonly table: string; readonly code: PrintedCode }[];
}

const A3: Paper = { width: 841.89, height: 1190.55 };
const INCH_MM = 25.4;
export const points = (millimetres: number): number => (millimetres / INCH_MM) * 72;

export const style = (size: number, color: string, weight: DrawnStyle['weight'] = 'regular'): DrawnStyle => ({
  size,
  weight,
  color,
});

/** Returns the largest style in which the text needs at most two lines; otherwise the smallest one. */
export function fitting(sheet: Sheet, text: string, sizes: readonly number[], width: number): DrawnStyle {
  const styles = sizes.map((size) => style(size, INK, 'bold'));
  const fits = (one: DrawnStyle) => sheet.height(text, one, width) <= sheet.height('Ag', one, width) * 2;
  return styles.find(fits) ?? styles.at(-1) ?? style(12, INK, 'bold');
}

/** Draws a poster with one large code. An A3 poster is an enlarged A4 poster. */
export function posterPdf(poster: PosterToDraw): Uint8Array {
  const paper = poster.paper === 'a3' ? A3 : PAGE;
  const scale = paper.width / PAGE.width;
  const sheet = new Sheet({ ...facts(poster, poster.wording.invitation), paper });
  const margin = PAGE.margin * scale;
  const width = paper.width - 2 * margin;
  const at = (y: number) => ({ x: margin, y, width, align: 'center' as const });
  const { bar = ACCENT, accent = ACCENT } = poster.colours;
  sheet.rule(0, paper.height - BAR * scale, paper.width, bar, BAR * scale);
  let y = (poster.colours.backing ? 34 : 72) * scale;
  y += head(sheet, poster, { ...at(y), bleed: paper.width }, 18 * scale) + 22 * scale;
  sheet.rule(0, 0, paper.width, bar, BAR * scale);
  y +=
    sheet.text(
      poster.event,
      fitting(sheet, poster.event, [36 * scale, 26 * scale, 20 * scale], width),
      { ...at(y), maxLines: 3 },
      'H1',
    ) +
    8 * scale;
  y += sheet.text(poster.wording.invitation, style(28 * scale, accent, 'bold'), { ...at(y), maxLines: 1 });
  // At least 12 cm on A4, so that the code can be scanned from some steps away.
  const side = points(140) * scale;
  y += 22 * scale;
  sheet.code(poster.code.rows, { x: (paper.width - side) / 2, y, width: side }, poster.wording.alt);
  y += side + 24 * scale;
  y += sheet.text(poster.code.address, style(20 * scale, INK, 'bold'), { ...at(y), maxLines: 2 }) + 6 * scale;
  sheet.text(poster.wording.how, style(15 * scale, MUTED), { ...at(y), maxLines: 2 });
  return sheet.bytes();
}

/** Dark paper below the logo, as a multiple of the text size. */
const PADDING = 1.4;

/**
 * Draws the logo, or the name of the organization, and returns its height.
 * @param box `bleed` is the width of the paper: a dark background reaches the edges
 */
function head(
  sheet: Sheet,
  { logo, organization, colours: { backing } }: PrintLook,
  { bleed, ...box }: { x: number; y: number; width: number; align: 'center'; bleed: number },
  size: number,
): number {
  const text = style(size, backing?.ink ?? MUTED, 'bold');
  const height = logo ? size * 4 : sheet.height(organization, text, box.width, 2);
  if (backing)
    sheet.box({ x: 0, y: 0, width: bleed, height: box.y + height + PADDING * size }, { fill: backing.fill });
  if (logo) sheet.image(logo, { ...box, height }, organization, 'center');
  else sheet.text(organization, text, { ...box, maxLines: 2 });
  return backing ? height + PADDING * size : height;
}

export const CARD: Paper = { width: PAGE.width / 2, height: PAGE.height / 2 };
const CARD_MARGIN = 26;
export const MARK = 14;

/** Draws A6 cards, four on each A4 page, with marks for the cuts. */
export function tableCardsPdf(print: CardsToDraw): Uint8Array {
  const sheet = new Sheet(facts(print, print.wording.alt));
  print.cards.forEach((card, index) => {
    const place = index % 4;
    if (index > 0 && place === 0) sheet.addPage();
    if (place === 0) cutMarks(sheet);
    drawCard(sheet, print, card, { x: (place % 2) * CARD.width, y: Math.floor(place / 2) * CARD.height });
  });
  return sheet.bytes();
}

function drawCard(
  sheet: Sheet,
  print: CardsToDraw,
  { table, code }: CardsToDraw['cards'][number],
  corner: { readonly x: number; readonly y: number },
): void {
  const width = CARD.width - 2 * CARD_MARGIN;
  const at = (y: number) => ({ x: corner.x + CARD_MARGIN, y, width, align: 'center' as const });
  let y = corner.y + CARD_MARGIN;
  y += sheet.text(table, fitting(sheet, table, [26, 18, 14], width), { ...at(y), maxLines: 2 }, 'H1');
  y += sheet.text(print.event, style(12, MUTED), { ...at(y), maxLines: 2 }) + 8;
  y +=
    sheet.text(print.wording.invitation, style(19, print.colours.accent ?? ACCENT, 'bold'), {
      ...at(y),
      maxLines: 1,
    }) + 10;
  // The quiet zone of four modules is the white paper around the code.
  const side = Math.min(points(76), corner.y + CARD.height - y - (print.logo ? 104 : 84));
  sheet.code(code.rows, { x: corner.x + (CARD.width - side) / 2, y, width: side }, print.wording.alt);
  y += side + 14;
  y += sheet.text(code.address, style(11, INK, 'bold'), { ...at(y), maxLines: 2 }) + 3;
  foot(sheet, print, at(y));
}

const FOOT = { height: 30, padding: 5, text: 13 };

/** Height of the logo or of the name of the organization at the end of a card. */
export const footHeight = ({ logo }: Pick<PrintLook, 'logo'>, scale = 1): number =>
  (logo ? FOOT.height + FOOT.padding : FOOT.text) * scale;

/** Draws the logo at the end of a card, or the name of the organization. */
export function foot(
  sheet: Sheet,
  { logo, organization, colours: { backing } }: Pick<PrintLook, 'logo' | 'organization' | 'colours'>,
  box: { x: number; y: number; width: number; align: 'center' },
  scale = 1,
): void {
  if (!logo) {
    sheet.text(organization, style(9 * scale, MUTED), { ...box, maxLines: 1 });
    return;
  }
  const height = FOOT.height * scale;
  const padding = FOOT.padding * scale;
  const y = box.y + padding;
  if (backing) sheet.box({ ...box, y, height, radius: 6 * scale }, { fill: backing.fill });
  sheet.image(logo, { ...box, y: y + padding, height: height - 2 * padding }, organization, 'center');
}

function cutMarks(sheet: Sheet): void {
  const [x, y] = [CARD.width, CARD.height];
  sheet.box({ x: x - 0.25, y: 0, width: 0.5, height: MARK }, { fill: LINE });
  sheet.box({ x: x - 0.25, y: PAGE.height - MARK, width: 0.5, height: MARK }, { fill: LINE });
  sheet.rule(0, y - 0.25, MARK, LINE, 0.5);
  sheet.rule(PAGE.width - MARK, y - 0.25, MARK, LINE, 0.5);
  sheet.rule(x - MARK / 2, y - 0.25, MARK, LINE, 0.5);
  sheet.box({ x: x - 0.25, y: y - MARK / 2, width: 0.5, height: MARK }, { fill: LINE });
}

export const facts = ({ event, organization, language, createdAt }: PrintLook, subject: string) => ({
  title: event,
  author: organization,
  subject,
  language,
  createdAt,
});
