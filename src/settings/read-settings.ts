import { isJsonObject, type JsonObject } from './json-merge.js';
import type { MapRule, ObjectRule, Rule } from './settings-rules.js';

/** A part of the settings as sent or stored, held against the rules. */
export interface SettingsReading {
  /** What is right, normalized; `null` where a value is to be deleted. */
  readonly value: JsonObject;
  /** What is wrong, each a sentence that names the field. */
  readonly problems: readonly string[];
}

/** Holds raw JSON against a rule of objects: unknown keys, wrong types and wrong values are problems. */
export function readSettings(raw: unknown, rule: ObjectRule): SettingsReading {
  const problems: string[] = [];
  const value = read(raw, rule, '', problems);
  return { value: isJsonObject(value) ? value : {}, problems };
}

function read(raw: unknown, rule: Rule, path: string, problems: string[]): unknown {
  if (rule.kind === 'value') {
    const reading = rule.read(raw);
    if ('value' in reading) return reading.value;
    problems.push(`${path} ${reading.problem}`);
    return undefined;
  }
  if (!isJsonObject(raw)) {
    problems.push(`${path === '' ? 'The body' : path} must be an object`);
    return undefined;
  }
  const entries = Object.entries(raw);
  if (rule.kind === 'map' && entries.length > rule.max) {
    problems.push(`${path} must have at most ${rule.max} entries`);
    return undefined;
  }
  const result: [string, unknown][] = [];
  for (const [name, given] of entries) {
    const at = path === '' ? shown(name) : `${path}.${shown(name)}`;
    const found = ruleOf(rule, name);
    if (typeof found === 'string') {
      problems.push(`${at} ${found}`);
      continue;
    }
    const value = given === null ? null : read(given, found, at, problems);
    if (value !== undefined) result.push([name, value]);
  }
  return Object.fromEntries(result);
}

/** The rule of a key, or what is wrong with the key. */
function ruleOf(rule: MapRule | ObjectRule, name: string): Rule | string {
  if (rule.kind === 'map') return rule.nameProblem(name) ?? rule.entry;
  // Own fields only: `constructor` is not a field because objects have one.
  const field = Object.hasOwn(rule.fields, name) ? rule.fields[name] : undefined;
  return field ?? 'is not a known field';
}

/** A key as an error message may repeat it. */
const shown = (name: string): string => name.replace(/[^\w-]/g, '?').slice(0, 70);
