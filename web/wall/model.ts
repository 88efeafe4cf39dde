import type { WallControl } from '../../src/gateway/live-messages.js';

/** Data that the server writes into the page for its script; see src/pages/wall/wall-page.ts. */
export interface WallModel {
  readonly event: string;
  readonly status: string;
  readonly currency: string;
  readonly locale: string;
  /** Language of the texts and their plural forms: English if there are no texts for the locale. */
  readonly language: string;
  /** Smallest amount that is celebrated, in minor units. If null, no donation is celebrated. */
  readonly celebrateFrom: number | null;
  /** Number of decimals of the currencies that do not have two. */
  readonly exponents: Readonly<Record<string, number>>;
  /** Content that the team chose for the walls. */
  readonly control: WallControl;
  readonly texts: Readonly<Record<string, string>>;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

export const stillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
