// Replaces a file of src/, sandbox/ or node_modules/ in the tests of test/ by the exports of the built module that Node
// itself loads. Jest's loader would read, compile and link these files again for each test file.
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

/** Path for Node: the build of a source file, or the file of a package. */
function builtFile(path) {
  const name = relative(root, path);
  const [sources, build] = BUILT.find(([folder]) => name.startsWith(folder)) ?? [];
  if (sources === undefined) return path;
  const file = `${root}${build}${name.slice(sources.length).replace(/\.ts$/, '.js')}`;
  if (!existsSync(file))
    throw new Error(`${file} is missing: run "npm run build" first, or the tests by "npm test"`);
  return file;
}

/** Source that a test gets instead of the file: its exports, by name. */
function exportsOf(path, isEsModule) {
  const file = JSON.stringify(builtFile(path));
  const module = require(builtFile(path));
  const names = Object.keys(module).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  if (!isEsModule) {
    // The part behind `0 &&` never runs: Jest reads the export names of a CommonJS package from it.
    return `module.exports = loadOutside(${file}); 0 && (module.exports = { ${names.join(', ')} });`;
  }
  return [
    `const module = loadOutside(${file});`,
    // With other internal names, because a package may export a keyword such as `catch`.
    ...names.map(
      (name, index) => `const export${index} = module.${name}; export { export${index} as ${name} };`,
    ),
    'default' in module ? 'export default module.default;' : 'export {};',
  ].join('\n');
}

/** The global set-up and its imports already run outside Jest, so their files stay as they are. */
function code(source, path, { supportsDynamicImport, supportsStaticESM }) {
  return supportsDynamicImport ? exportsOf(path, supportsStaticESM) : source;
}

// The code is its own cache key, because the exports of a file may change with another file.
export default { getCacheKey: code, process: (...file) => ({ code: code(...file) }) };
