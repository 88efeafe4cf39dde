import { ROOT_FOLDER } from '../../common/root-folder.js';

/** Address of a built module for the thread. @param path below `src`, with the ending `.js` */
export const threadFile = (path: string): string => new URL(`dist/${path}`, ROOT_FOLDER).href;
