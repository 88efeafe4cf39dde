import { fileURLToPath } from 'node:url';
import { units } from '../../jest.config.mjs';

/** Runs one spec while a source file is changed. `NEUTRALISED` contains `file`, `from`, `to` and `spec` as JSON. */
const { spec, ...words } = JSON.parse(process.env.NEUTRALISED);
const [[pattern, [, swc]]] = Object.entries(units.transform);

/** @type {import('jest').Config} */
export default {
  ...units,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testMatch: [`<rootDir>/src/${spec}`],
  transform: { [pattern]: ['<rootDir>/test/support/neutralised.mjs', { ...words, swc }] },
  cache: false,
};
