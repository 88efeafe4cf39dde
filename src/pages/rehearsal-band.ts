import { REHEARSAL_DIGITS, isRehearsal } from '../common/crypto/rehearsal-ids.js';
import { wordingFor } from '../receipts/receipt-wording.js';
import { type Html, html } from './html.js';

/** Begins the title of each page of a rehearsal. */
const REHEARSAL_TITLE = '⟪R⟫ ';

/** The band is in the page, and the script of the page shows it when a rehearsal is chosen. */
const LATER = null;

/**
 * Fixed colours, because a charity can choose the colours of its theme. A page that fills the screen keeps its size, so the band
 * covers its upper margin. Sticky heads stop below the band.
 */
const STYLE =
  '.rehearsal{position:sticky;top:0;inset-inline:0;z-index:2147483647;box-sizing:border-box;min-height:28px;margin:0;' +
  'padding:3px 8px;background:#ffd60a;color:#000;border-bottom:2px solid #000;font:700 16px/21px sans-serif;' +
  'text-align:center;letter-spacing:.08em;text-transform:uppercase;print-color-adjust:exact;' +
  '-webkit-print-color-adjust:exact}.rehearsal[hidden]{display:none}' +
  '.rehearsal--over{position:fixed;pointer-events:none}' +
  '.rehearsal:not([hidden])~* :is(.topbar,.sidebar){top:28px}';

interface Band {
  readonly style: string;
  readonly markup: Html;
  /** The first characters of the title. */
  readonly title: string;
}

/**
 * Returns the band of a page.
 * @param eventId null if the script of the page chooses the event
 */
export function rehearsalBand(
  eventId: string | null | undefined,
  locale: string,
  isWholeScreen: boolean,
): Band | undefined {
  if (eventId === undefined || (eventId !== LATER && !isRehearsal(eventId))) return undefined;
  const { language, wording } = wordingFor(locale);
  const look = isWholeScreen ? 'rehearsal rehearsal--over' : 'rehearsal';
  const later = eventId === LATER && html` data-rehearsal="${REHEARSAL_DIGITS}" hidden`;
  return {
    style: STYLE,
    title: eventId === LATER ? '' : REHEARSAL_TITLE,
    // Screen readers read the text once: at the start of the page, or when the script shows it.
    markup: html`<p class="${look}" id="rehearsal" role="status" lang="${language}" ${later}>
      ${wording.rehearsal}
    </p>`,
  };
}
