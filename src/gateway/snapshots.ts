import type { Snapshot, TotalsMessage } from './live-messages.js';
import type { WallState } from './wall-controls.js';

/** What a snapshot is made of, shared by those who ask for the same place of a feed. */
export interface KeptSnapshot {
  readonly shown: Omit<Snapshot, 'wall' | 'held'>;
  /** Its totals by themselves, as they are broadcast. */
  readonly totals: TotalsMessage;
  /** When each of its donations was completed, by id. */
  readonly completedAt: ReadonlyMap<string, Date>;
}

/** The snapshot under what the walls are to show at this moment, which is never kept. */
export function toSnapshot({ shown, completedAt }: KeptSnapshot, { control, pausedAt }: WallState): Snapshot {
  if (!control.paused || pausedAt === null) return { ...shown, wall: control };
  const held = shown.donations.filter(({ id }) => (completedAt.get(id)?.getTime() ?? 0) >= pausedAt);
  return { ...shown, wall: control, held: held.map(({ id }) => id) };
}
