// In the tests of test/, replaces each file of src/, sandbox/ or node_modules/ by the exports of the module that Node itself
// has loaded. Jest's loader would read, compile and link the files again for each test file.
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

/** Returns the path for Node: the build of a source file, or the file of a package. */
function builtFile(path) {
  const name = relative(root, path);
  const [sources, build] = BUILT.find(([folder]) => name.startsWith(folder)) ?? [];
  if (sources === undefined) return path;
  const file = `${root}${build}${name.slice(sources.length).replace(/\.ts$/, '.js')}`;
  if (!existsSync(file))
    throw new Error(`${file} is missing: run "npm run build" first, or the tests by "npm test"`);
  return file;
}

/** Returns the source that a test gets instead of the file: the exports of the module, by name. */
function exportsOf(path, isEsModule) {
  const file = JSON.stringify(builtFile(path));
  const module = require(builtFile(path));
  const names = Object.keys(module).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  if (!isEsModule) {
    // The part after `0 &&` never runs. Jest reads the names of the exports from it for a CommonJS package.
    return `module.exports = loadOutside(${file}); 0 && (module.exports = { ${names.join(', ')} });`;
  }
  return [
    `const module = loadOutside(${file});`,
    // The variables have other names, because a package may export a keyword such as `catch`.
    ...names.map(
      (name, index) => `const export${index} = module.${name}; export { export${index} as ${name} };`,
    ),
    'default' in module ? 'export default module.default;' : 'export {};',
  ].join('\n');
}

/** The global set-up and its imports run outside Jest, so this function does not change their files. */
function code(source, path, { supportsDynamicImport, supportsStaticESM }) {
  return supportsDynamicImport ? exportsOf(path, supportsStaticESM) : source;
}

// The cache key is the code itself, because the exports of a file may change when another file changes.
export default { getCacheKey: code, process: (...file) => ({ code: code(...file) }) };
