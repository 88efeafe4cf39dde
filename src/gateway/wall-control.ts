import type { Settings } from '../settings/settings.js';
import type { WallControl } from './live-messages.js';

/** Returns the instructions for the walls from an event's settings. Optional instructions that are not set are absent. */
export const wallControlOf = ({
  scene,
  notice,
  paused,
  nextGoal,
  sound,
}: Settings['live']['wall']): WallControl => ({
  scene,
  notice,
  paused,
  ...(nextGoal !== null && { nextGoal }),
  ...(sound && { sound }),
});
