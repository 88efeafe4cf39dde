import { createHash } from 'node:crypto';
import { fill } from './texts.js';
import { type Html, html, trusted } from './html.js';

/** The oldest browsers in which a page works, and a feature that separates them from older ones. */
interface Oldest {
  readonly browsers: readonly string[];
  /** Expression in the JavaScript of 2009, so that every browser can parse it. */
  readonly test: string;
}

const hasStyle = (property: string, value: string): string =>
  `window.CSS&&CSS.supports&&CSS.supports('${property}','${value}')`;

/** `aspect-ratio`: Safari 15, Chrome 88, Firefox 89. */
const OF_DONORS: Oldest = {
  browsers: ['Safari 15', 'Chrome 90', 'Firefox 90', 'Samsung Internet 15'],
  test: hasStyle('aspect-ratio', '1'),
};

/** The oldest browsers by page. web/README.md has the same list. */
export const OLDEST_BROWSERS: Readonly<Record<string, Oldest>> = {
  donate: OF_DONORS,
  pos: OF_DONORS,
  // `AbortSignal.timeout`: Safari 16, Chrome 103, Firefox 100.
  admin: {
    browsers: ['Safari 16', 'Chrome 103', 'Firefox 102'],
    test: 'window.AbortSignal&&AbortSignal.timeout',
  },
  // `inset`: Safari 14.1, Chrome 87, Firefox 66.
  wall: { browsers: ['Safari 15', 'Chrome 87', 'Firefox 90'], test: hasStyle('inset', '0') },
  stage: OF_DONORS,
};

const NOTE = 'old-browser';

/**
 * Returns the hidden note for browsers that are too old. `text` may contain `{browsers}`. The check of the
 * page shows the note, and the script of the page then does not start (web/kit/older-browsers.ts).
 */
export const oldBrowserNote = (page: string, text: string | undefined, look = ''): Html =>
  html`<p class="note note--warn ${look}" id="${NOTE}" hidden>
    ${fill(text, { browsers: OLDEST_BROWSERS[page]?.browsers.join(', ') ?? '' })}
  </p>`;

/**
 * A check at the end of a page, before the page's script starts, and the CSP source that allows the check.
 */
export interface OldBrowserCheck {
  readonly script: Html;
  readonly source: string;
}

const CHECKS: ReadonlyMap<string, OldBrowserCheck> = new Map(
  Object.entries(OLDEST_BROWSERS).map(([page, { test }]) => [page, checkOf(test)]),
);

export const oldBrowserCheck = (page: string): OldBrowserCheck | undefined => CHECKS.get(page);

function checkOf(test: string): OldBrowserCheck {
  const code =
    `if(!(${test})){document.documentElement.setAttribute('data-browser','old');` +
    `(function(note){if(note)note.removeAttribute('hidden')})(document.getElementById('${NOTE}'))}`;
  const digest = createHash('sha256').update(code).digest('base64');
  return {
    script: trusted(`<script>${code}</script>`),
    source: `'sha256-${digest}'`,
  };
}
