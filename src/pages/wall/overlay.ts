/** Parts of the wall that an overlay can show. */
const PARTS = ['gauge', 'milestones', 'feed', 'alert', 'board', 'code'] as const;
const POSITIONS = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const;
const [SMALLEST, LARGEST] = [25, 300];

/** Query parameters of an overlay. */
export interface OverlayQuery {
  readonly mode?: unknown;
  readonly show?: unknown;
  readonly position?: unknown;
  readonly size?: unknown;
}

/** One part of the wall on a transparent background, for a video mixer. */
export interface Overlay {
  readonly part: (typeof PARTS)[number];
  /** Place on the screen; undefined for the default place of the part. */
  readonly position: (typeof POSITIONS)[number] | undefined;
  /** Size as a factor of the default size. */
  readonly scale: number;
}

/** Returns the overlay that a wall's address asks for; undefined for the full wall. Unknown values have no effect. */
export function overlayOf({ mode, show, position, size }: OverlayQuery): Overlay | undefined {
  if (mode !== 'overlay') return undefined;
  const percent = typeof size === 'string' && /^\d{1,3}$/.test(size) ? Number(size) : 100;
  return {
    part: PARTS.find((part) => part === show) ?? 'gauge',
    position: POSITIONS.find((place) => place === position),
    scale: Math.min(LARGEST, Math.max(SMALLEST, percent)) / 100,
  };
}
