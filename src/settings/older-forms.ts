import { isJsonObject, type JsonObject } from './json-merge.js';

/**
 * Settings as read, with fields of earlier versions as the fields that replaced them. Clients may still send
 * `live.moderateMessages`, and rows written by earlier versions hold it. The newer field wins.
 */
export function newerForms(value: JsonObject): JsonObject {
  const { live } = value;
  if (!isJsonObject(live) || !('moderateMessages' in live)) return value;
  const { moderateMessages, ...rest } = live;
  return { ...value, live: 'moderate' in rest ? rest : { ...rest, moderate: modeOf(moderateMessages) } };
}

/** What in a patch is said in an older and in a newer form that disagree: one of them would be lost. */
export function disagreements({ live }: JsonObject): string[] {
  if (!isJsonObject(live) || !('moderate' in live) || !('moderateMessages' in live)) return [];
  const agree = live.moderateMessages === null || live.moderateMessages === holdsMessages(live.moderate);
  return agree ? [] : ['live.moderateMessages contradicts live.moderate, which replaces it; send only that'];
}

/** What the older field says for a value of the newer one. */
export const holdsMessages = (moderate: unknown): boolean => moderate === 'messages' || moderate === 'all';

const modeOf = (moderateMessages: unknown): 'messages' | 'none' | null =>
  typeof moderateMessages === 'boolean' ? (moderateMessages ? 'messages' : 'none') : null;
