import type { Settings } from '../../src/settings/settings.js';
import type { WallControl } from '../../src/gateway/live-messages.js';

/** Data that the server writes into the page for its script; see src/pages/wall/wall-page.ts. */
export interface WallModel {
  readonly event: string;
  readonly status: string;
  readonly currency: string;
  readonly locale: string;
  /** Language of the texts and their plural forms: English if there are no texts for the locale. */
  readonly language: string;
  /**
   * Smallest amount that is celebrated, in minor units of the event's currency. If 0, every donation in any currency is
   * celebrated; if null, none.
   */
  readonly celebrateFrom: number | null;
  /** True if this view shows milestones and moments in the place of the feed. */
  readonly celebratesMilestones: boolean;
  /** True if the large total contains the money of match pools. */
  readonly isMatchWith: boolean;
  /** Size of an overlay as a factor of its default size. */
  readonly scale: number;
  /** Number of decimals of the currencies that do not have two. */
  readonly exponents: Readonly<Record<string, number>>;
  /** Pictures that the wall shows in the place of the feed from time to time. */
  readonly slides: Settings['live']['slides'];
  /** Content that the team chose for the walls. */
  readonly control: WallControl;
  readonly texts: Readonly<Record<string, string>>;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** The part of the wall that this overlay shows; undefined for the full wall. */
export const overlayPart = (): string | undefined => document.documentElement.dataset['overlay'];

export const stillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
