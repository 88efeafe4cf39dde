import type { WallControl } from '../../src/gateway/live-messages.js';

/** What the server writes into the page for its script; see src/pages/wall/wall-page.ts. */
export interface WallModel {
  readonly event: string;
  readonly status: string;
  readonly currency: string;
  readonly locale: string;
  /** Language of the texts, whose plurals they follow: English where there are none in the locale's. */
  readonly language: string;
  /** Minor units; null: no donation is celebrated. */
  readonly celebrateFrom: number | null;
  /** Minor units other than two decimals, by currency. */
  readonly exponents: Readonly<Record<string, number>>;
  /** What the team wants it to show. */
  readonly control: WallControl;
  readonly texts: Readonly<Record<string, string>>;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

export const stillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
