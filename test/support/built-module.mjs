// Stands for a file of src/, sandbox/ or node_modules/ in the tests of test/: the exports of the module that Node
// itself loads, from the build. Jest's loader would read, compile and link these files again for each test file.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const BUILT = [
  ['src/', 'dist/'],
  ['sandbox/', 'dist-sandbox/'],
];

/** Where Node finds it: a source file's build, a package's own file. */
function builtFile(path) {
  const name = relative(root, path);
  const [sources, build] = BUILT.find(([folder]) => name.startsWith(folder)) ?? [];
  if (sources === undefined) return path;
  const file = `${root}${build}${name.slice(sources.length).replace(/\.ts$/, '.js')}`;
  if (!existsSync(file))
    throw new Error(`${file} is missing: run "npm run build" first, or the tests by "npm test"`);
  return file;
}

/** What a test gets instead of the file itself: its exports, by name. */
function exportsOf(path, isEsModule) {
  const file = JSON.stringify(builtFile(path));
  const module = require(builtFile(path));
  const names = Object.keys(module).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  if (!isEsModule) {
    // Never run behind `0 &&`: Jest reads the names of a CommonJS package's exports from it.
    return `module.exports = loadOutside(${file}); 0 && (module.exports = { ${names.join(', ')} });`;
  }
  return [
    `const module = loadOutside(${file});`,
    // By other names inside: a package may export what is a word of the language, such as `catch`.
    ...names.map(
      (name, index) => `const export${index} = module.${name}; export { export${index} as ${name} };`,
    ),
    'default' in module ? 'export default module.default;' : 'export {};',
  ].join('\n');
}

/** The global set-up, and what it loads, is outside already: there a file is what it is. */
function code(source, path, { supportsDynamicImport, supportsStaticESM }) {
  return supportsDynamicImport ? exportsOf(path, supportsStaticESM) : source;
}

// The code is its own key: what a file exports may change by a change of another file.
export default { getCacheKey: code, process: (...file) => ({ code: code(...file) }) };
