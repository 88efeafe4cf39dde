import { readFileSync } from 'node:fs';

/** A file of the folder `sandbox/`, which is beside the compiled program too. */
export function readAsset(path: string): string {
  return readFileSync(new URL(`../sandbox/${path}`, import.meta.url), 'utf8');
}
