import { isRightToLeft } from '../common/text/direction.js';
import {
  ACCENT,
  type DrawnStyle,
  INK,
  LABEL,
  LINE,
  MUTED,
  ORGANIZATION,
  PAGE,
  type Sheet,
} from '../documents/pdf/sheet.js';

// This code runs on the export thread.

/** Sender, recipient and date of a letter. */
export interface LetterHead {
  readonly language: string;
  readonly organization: string;
  readonly sender: { readonly name: string; readonly lines: readonly string[]; readonly signatory: string };
  /** PNG or JPEG. */
  readonly logo: Uint8Array | undefined;
  /** Name and address, one line each. */
  readonly recipient: readonly string[];
  readonly date: string;
}

export const MM = 72 / 25.4;
/** The address of the recipient is visible in the window of an envelope (DIN 5008, form B). */
const WINDOW = { x: 25 * MM, y: 45 * MM, width: 80 * MM };
const WINDOW_END = 90 * MM;
/** Place of the text on the first page. */
export const BODY = { x: 25 * MM, y: 103 * MM, width: PAGE.width - 45 * MM };

export const TEXT: DrawnStyle = { size: 11, weight: 'regular', color: INK, leading: 1.45 };
export const SUBJECT: DrawnStyle = { size: 14, weight: 'bold', color: ACCENT };
const NAME: DrawnStyle = { size: 11, weight: 'regular', color: INK };
const SENDER: DrawnStyle = { size: 7.5, weight: 'regular', color: MUTED };
const MOST_LINES = 6;

/** Draws the upper part of the first page. */
export function drawLetterHead(sheet: Sheet, letter: LetterHead): void {
  const { sender, logo, organization, recipient } = letter;
  const half = BODY.width / 2;
  const top = 16 * MM;
  if (logo) sheet.image(logo, { x: BODY.x, y: top, width: half, height: 52 }, organization);
  else sheet.text(organization, ORGANIZATION, { x: BODY.x, y: top, width: half, maxLines: 2 });
  const right = { x: BODY.x + half, width: half, align: 'right' as const };
  const lines = sender.name === organization ? sender.lines : [sender.name, ...sender.lines];
  sheet.text(lines.join('\n'), LABEL, { ...right, y: top, maxLines: MOST_LINES });
  sheet.text(letter.date, LABEL, { ...right, y: WINDOW_END, maxLines: 1 });
  const { y, width } = WINDOW;
  // The window of an envelope is on the left, also if the letter is read from right to left.
  const x = isRightToLeft(letter.language) ? PAGE.width - WINDOW.x - width : WINDOW.x;
  sheet.text([sender.name, ...sender.lines].join(' · '), SENDER, { x, y, width, maxLines: 1 });
  sheet.rule(x, y + 12, width, LINE);
  sheet.text(recipient.join('\n'), NAME, { x, y: y + 20, width, maxLines: MOST_LINES });
}
