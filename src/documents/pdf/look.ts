import { type DrawnStyle, PAGE } from './sheet.js';

/** What receipts, statements and summaries look like: colours, styles of text, measures in points. */
export const INK = '#1c2b33';
export const MUTED = '#5b6b73';
export const ACCENT = '#0b5d5e';
export const TINT = '#eef5f4';
export const LINE = '#d5dfe0';

export const TITLE: DrawnStyle = { size: 20, weight: 'bold', color: ACCENT };
export const ORGANIZATION: DrawnStyle = { size: 15, weight: 'bold', color: INK };
export const LABEL: DrawnStyle = { size: 9.5, weight: 'regular', color: MUTED };
export const STRONG: DrawnStyle = { size: 10.5, weight: 'bold', color: INK };
export const FOOTER: DrawnStyle = { size: 8, weight: 'regular', color: MUTED };

export const LEFT = PAGE.margin;
/** Height of the bar at the top of each page. */
export const BAR = 7;
