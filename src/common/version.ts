import { readFileSync } from 'node:fs';
import { ROOT_FOLDER } from './root-folder.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT_FOLDER), 'utf8')) as {
  version: string;
};

/** The version of this release, from package.json. Used in `/health`, the log, the dashboard and the API description. */
export const VERSION = version;
