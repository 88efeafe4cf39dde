import { type Html, trusted } from '../html.js';

/** Icons in the colour of the text. Each icon only repeats the text next to it. */
const drawn = (kind: string, paths: string): Html =>
  trusted(
    `<svg class="icon icon--${kind}" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" ` +
      `stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );

export const HEART = drawn(
  'good',
  '<path d="M12 20.5S3.5 15.6 3.5 9.4A4.6 4.6 0 0 1 12 6.9a4.6 4.6 0 0 1 8.5 2.5c0 6.2-8.5 11.1-8.5 11.1Z"/>',
);
export const CLOCK = drawn('wait', '<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>');
export const PAUSE = drawn('wait', '<circle cx="12" cy="12" r="8.5"/><path d="M10 9v6M14 9v6"/>');
export const CROSS = drawn(
  'bad',
  '<circle cx="12" cy="12" r="8.5"/><path d="m9.2 9.2 5.6 5.6m0-5.6-5.6 5.6"/>',
);
export const QUESTION = drawn(
  'wait',
  '<circle cx="12" cy="12" r="8.5"/><path d="M9.8 9.6a2.3 2.3 0 1 1 3.3 2.1c-.8.4-1.1.9-1.1 1.8M12 16.4v.1"/>',
);
export const BACK = drawn('wait', '<path d="M9 7 4.5 11.5 9 16"/><path d="M5 11.5h9a5 5 0 0 1 0 10h-2"/>');
export const LOCK = drawn(
  'small',
  '<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>',
);
