import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the lines of a file without comments and empty lines. Joins lines that end in a backslash. */
export const instructions = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

interface Pattern {
  readonly allows: boolean;
  readonly matches: RegExp;
}

/**
 * Returns the patterns of `.dockerignore` in order. For each path, the last pattern that matches it or a parent folder
 * decides.
 */
function patterns(): Pattern[] {
  return instructions('.dockerignore').map((line) => {
    const allows = line.startsWith('!');
    const source = (allows ? line.slice(1) : line)
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\*\*\/|\*/g, (wildcard) => (wildcard === '*' ? '[^/]*' : '(?:.*/)?'));
    return { allows, matches: new RegExp(`^${source}(?:/.*)?$`) };
  });
}

/** Copies the build context that Docker would send. Returns the number of files. */
export function copyBuildContext(target: string): number {
  const rules = patterns();
  const isIn = (path: string) => rules.findLast(({ matches }) => matches.test(path))?.allows ?? true;
  let files = 0;
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join('.', folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // If a folder is excluded, the build context contains no file below it.
      if (!isIn(path)) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) {
        mkdirSync(join(target, folder), { recursive: true });
        copyFileSync(path, join(target, path));
        files++;
      }
    }
  };
  walk('');
  return files;
}
