import { ROOT_FOLDER } from '../../common/root-folder.js';

/**
 * Returns the URL of a built module for the thread.
 * @param path below `src`, ending in `.js`
 */
export const threadFile = (path: string): string => new URL(`dist/${path}`, ROOT_FOLDER).href;
