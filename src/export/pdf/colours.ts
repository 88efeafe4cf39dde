/** The colours of receipts, statements and summaries. */
export const INK = '#1c2b33';
export const MUTED = '#5b6b73';
export const ACCENT = '#0b5d5e';
export const TINT = '#eef5f4';
export const LINE = '#d5dfe0';
