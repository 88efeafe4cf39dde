import codes from 'qrcode';
import { modulesBy } from '../documents/pdf/code-modules.js';
import { ACCENT, BAR, INK, LINE, MUTED, PAGE, Sheet } from '../documents/pdf/sheet.js';
import type { TeamLayout } from './print-limits.js';
import { CARD, facts, fitting, foot, footHeight, MARK, type PrintLook, style } from './print-pages.js';

// This code runs on the export thread.

export interface TeamCodesToDraw extends PrintLook {
  readonly layout: TeamLayout;
  /** The name of each team, and the address in its code. */
  readonly teams: readonly { readonly name: string; readonly address: string }[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Team = TeamCodesToDraw['teams'][number];
type Draw = (sheet: Sheet, print: TeamCodesToDraw, team: Team, box: Box) => void;

/** Empty modules around a code, so that cameras find its edges. */
const QUIET = 4;
const MARGIN = 22;

/** Draws the codes of teams on A4: one on each page, two tent cards, or eight cards. */
export function teamCodesPdf(print: TeamCodesToDraw): Uint8Array {
  const sheet = new Sheet(facts(print, print.wording.alt));
  const { perPage, marks, draw } = LAYOUTS[print.layout];
  print.teams.forEach((team, index) => {
    const place = index % perPage;
    if (index > 0 && place === 0) sheet.addPage();
    if (place === 0) marks(sheet, print);
    draw(sheet, print, team, place);
  });
  return sheet.bytes();
}

interface Layout {
  readonly perPage: number;
  /** Draws the decoration of a page: bars, or marks for cuts and folds. */
  readonly marks: (sheet: Sheet, print: TeamCodesToDraw) => void;
  readonly draw: (sheet: Sheet, print: TeamCodesToDraw, team: Team, place: number) => void;
}

const SMALL = { width: CARD.width, height: CARD.height / 2 };

const LAYOUTS: Readonly<Record<TeamLayout, Layout>> = {
  sheet: {
    perPage: 1,
    marks: (sheet, { colours: { bar = ACCENT } }) => {
      sheet.rule(0, 0, PAGE.width, bar, BAR);
      sheet.rule(0, PAGE.height - BAR, PAGE.width, bar, BAR);
    },
    draw: (sheet, print, team) => {
      drawFace(sheet, print, team, { x: 0, y: 0, width: PAGE.width, height: PAGE.height });
    },
  },
  // Cut down the middle and folded across it, each half is a card that stands. Its back is upside down on the paper.
  tent: {
    perPage: 2,
    marks: (sheet) => {
      down(sheet, CARD.width);
      dashes(sheet, CARD.height);
    },
    draw: (sheet, print, team, place) => {
      const back = { ...CARD, x: place * CARD.width, y: 0 };
      sheet.upsideDown(back, () => {
        drawFace(sheet, print, team, back);
      });
      drawFace(sheet, print, team, { ...back, y: CARD.height });
    },
  },
  cards: {
    perPage: 8,
    marks: (sheet) => {
      down(sheet, SMALL.width);
      for (const row of [1, 2, 3]) across(sheet, row * SMALL.height);
    },
    draw: (sheet, print, team, place) => {
      drawSmall(sheet, print, team, {
        ...SMALL,
        x: (place % 2) * SMALL.width,
        y: Math.floor(place / 2) * SMALL.height,
      });
    },
  },
};

/** Draws a tall card: name, event, invitation, code, address, charity. A whole page is the same card at twice the size. */
const drawFace: Draw = (sheet, print, team, box) => {
  const scale = box.width / CARD.width;
  const { event, wording, colours } = print;
  const rows = modulesBy(codes, team.address, 'Q');
  const width = box.width - 2 * MARGIN * scale;
  const at = (y: number) => ({ x: box.x + MARGIN * scale, y, width, align: 'center' as const });
  let y = box.y + MARGIN * scale;
  const sizes = [30, 22, 16].map((size) => size * scale);
  y += sheet.text(team.name, fitting(sheet, team.name, sizes, width), { ...at(y), maxLines: 2 }, 'H1');
  y += sheet.text(event, style(12 * scale, MUTED), { ...at(y), maxLines: 2 }) + 6 * scale;
  y += sheet.text(wording.invitation, style(20 * scale, colours.accent ?? ACCENT, 'bold'), {
    ...at(y),
    maxLines: 1,
  });
  // Letters of some scripts reach below their line.
  y += 6 * scale;
  const address = shown(team);
  const addressStyle = style(10 * scale, INK, 'bold');
  const foots = sheet.height(address, addressStyle, width, 3) + footHeight(print, scale);
  const room = box.y + box.height - MARGIN * scale - foots - y;
  const module = Math.min(room, box.width) / (rows.length + 2 * QUIET);
  const side = module * rows.length;
  const top = y + (room - side) / 2;
  sheet.code(rows, { x: box.x + (box.width - side) / 2, y: top, width: side }, wording.alt);
  y += room;
  y += sheet.text(address, addressStyle, { ...at(y), maxLines: 3 });
  foot(sheet, print, at(y), scale);
};

/** Side of the code on a small card, with its empty modules. */
const SMALL_CODE = 166;

/** Draws a small card: the code, and the words next to it. */
const drawSmall: Draw = (sheet, print, team, box) => {
  const { event, wording, colours, organization } = print;
  const rows = modulesBy(codes, team.address, 'Q');
  const module = SMALL_CODE / (rows.length + 2 * QUIET);
  const side = module * rows.length;
  sheet.code(
    rows,
    { x: box.x + 6 + QUIET * module, y: box.y + (box.height - side) / 2, width: side },
    wording.alt,
  );
  const width = box.width - SMALL_CODE - 6 - MARGIN;
  const x = box.x + 6 + SMALL_CODE;
  const name = fitting(sheet, team.name, [20, 16, 13, 10.5], width);
  const texts = [
    [team.name, name, 4],
    [event, style(9, MUTED), 2],
    [wording.invitation, style(13, colours.accent ?? ACCENT, 'bold'), 2],
    [shown(team), style(7, INK, 'bold'), 5],
    [organization, style(7, MUTED), 1],
  ] as const;
  const gap = 5;
  const heights = texts.map(([text, look, most]) => sheet.height(text, look, width, most));
  const height = heights.reduce((sum, one) => sum + one + gap, -gap);
  let y = box.y + (box.height - height) / 2;
  texts.forEach(([text, look, maxLines], index) => {
    sheet.text(text, look, { x, y, width, maxLines }, index === 0 ? 'H1' : 'P');
    y += (heights[index] ?? 0) + gap;
  });
};

/** The address as printed: without protocol. */
const shown = ({ address }: Team): string => address.replace(/^https?:\/\//, '');

/** Marks for a cut from top to bottom. */
function down(sheet: Sheet, x: number): void {
  for (const y of [0, PAGE.height - MARK])
    sheet.box({ x: x - 0.25, y, width: 0.5, height: MARK }, { fill: LINE });
}

/** Marks for a cut from side to side. */
function across(sheet: Sheet, y: number): void {
  for (const x of [0, PAGE.width - MARK]) sheet.rule(x, y - 0.25, MARK, LINE, 0.5);
}

const DASH = 6;

/** A dashed line for a fold from side to side. */
function dashes(sheet: Sheet, y: number): void {
  for (let x = 0; x < PAGE.width; x += 2 * DASH) sheet.rule(x, y - 0.25, DASH, LINE, 0.5);
}
