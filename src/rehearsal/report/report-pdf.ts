import {
  ACCENT,
  ALERT,
  CONTENT_WIDTH,
  type DrawnStyle,
  INK,
  LABEL,
  LEFT,
  LINE,
  MUTED,
  PAGE,
  Sheet,
  STRONG,
  TITLE,
} from '../../documents/pdf/sheet.js';
import type { CheckState } from './checks.js';
import type { CheckDto } from './dto/report.dto.js';

// This code runs on the export thread.

export interface ReportToDraw {
  readonly title: string;
  readonly event: string;
  readonly language: string;
  readonly createdAt: Date;
  readonly states: Readonly<Record<CheckState, string>>;
  readonly checks: readonly CheckDto[];
  /** Lines about the load: name and value. */
  readonly load: readonly (readonly [name: string, value: string])[];
  /** Code of the address for a phone. */
  readonly code: readonly (readonly boolean[])[];
  readonly phoneUrl: string;
}

const TEXT: DrawnStyle = { size: 10, weight: 'regular', color: INK };
const COLOURS: Readonly<Record<CheckState, string>> = { passed: ACCENT, failed: ALERT, unknown: MUTED };
const STATE_WIDTH = 76;
const BOTTOM = PAGE.height - PAGE.margin;
const CODE = 120;

/** Draws the report of a rehearsal: the checks with their states, the load, and the code for a phone. */
export function reportPdf(report: ReportToDraw): Uint8Array {
  const { title, event, language, createdAt } = report;
  const sheet = new Sheet({
    title: `${title}: ${event}`,
    author: event,
    subject: event,
    language,
    createdAt,
  });
  let y = PAGE.margin;
  const room = (height: number) => {
    if (y + height <= BOTTOM) return;
    sheet.addPage();
    y = PAGE.margin;
  };
  const text = (words: string, style: DrawnStyle, x = 0, type: 'H1' | 'P' = 'P') =>
    sheet.text(words, style, { x: LEFT + x, y, width: CONTENT_WIDTH - x, maxLines: 4 }, type);
  y += text(`${title}: ${event}`, TITLE, 0, 'H1') + 14;
  for (const { state, title: name, missing, advice } of report.checks) {
    room(60);
    text(report.states[state], { ...STRONG, color: COLOURS[state] });
    y += text(name, STRONG, STATE_WIDTH);
    if (missing.length > 0) y += text(missing.join(', '), TEXT, STATE_WIDTH);
    if (advice !== null) y += text(advice, LABEL, STATE_WIDTH);
    y += 6;
    sheet.rule(LEFT, y - 3, CONTENT_WIDTH, LINE);
  }
  y += 8;
  for (const [name, value] of report.load) {
    room(20);
    text(value, STRONG, CONTENT_WIDTH / 2);
    y += text(name, TEXT) + 2;
  }
  room(CODE + 30);
  y += 8;
  sheet.code(report.code, { x: LEFT, y, width: CODE }, report.phoneUrl);
  y += CODE + 4;
  text(report.phoneUrl, LABEL);
  return sheet.bytes();
}
