import { existsSync } from 'node:fs';

/**
 * The installed folder with `assets`, `dist` and `prisma`. The result is the same if the code runs from the sources, from
 * `dist` or from the bundle.
 */
export const ROOT_FOLDER = rootAbove(new URL('.', import.meta.url));

function rootAbove(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : rootAbove(new URL('..', folder));
}
