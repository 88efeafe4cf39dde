import { isJsonObject, type JsonObject } from './stored-settings.js';

/**
 * Settings that are about to be stored, with the moment since when they hold donations back: a wall that begins anew
 * leaves out what came since. Nobody sends it; what is sent in its place is not believed.
 */
export function withPauseTime(before: JsonObject, after: JsonObject): JsonObject {
  const wall = wallOf(after);
  if (!wall) return after;
  const { pausedAt: _, ...rest } = wall;
  const was = wallOf(before);
  const pausedAt = was?.paused === true && was.pausedAt ? was.pausedAt : new Date().toISOString();
  return {
    ...after,
    live: { ...(after.live as JsonObject), wall: wall.paused === true ? { ...rest, pausedAt } : rest },
  };
}

const wallOf = ({ live }: JsonObject): JsonObject | undefined =>
  isJsonObject(live) && isJsonObject(live.wall) ? live.wall : undefined;
