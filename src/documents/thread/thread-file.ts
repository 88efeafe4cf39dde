import { existsSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * Address of a module for the thread: where the build put it, with all that it loads, into a few files
 * (`scripts/bundle.mjs`), or where it was compiled to.
 */
export function threadFile(compiled: URL): string {
  const bundled = new URL(`../../bundle/thread/${posix.basename(compiled.pathname)}`, import.meta.url);
  return (existsSync(bundled) ? bundled : compiled).href;
}
