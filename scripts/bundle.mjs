// Puts the built server and the packages it runs on into a few files: `dist/main.js` starts in a third of the time. The
// files they came from stay where they are, for the commands of operators and for tests.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const out = join(dist, 'bundle');

/**
 * Left where they are: what has files or machine code of its own, and what only some requests need, which is loaded
 * with the first of them.
 */
const APART = [
  'bcrypt',
  'pdfkit',
  'fontkit',
  'archiver',
  'piscina',
  'qrcode',
  'swagger-ui-dist',
  'swagger-ui-express',
  '@zxcvbn-ts/*',
  // Loaded by name from inside Nest and socket.io, where they are installed.
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/platform-fastify',
  '@fastify/static',
  'class-transformer/storage',
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  '@grpc/*',
  '@nestjs/axios',
  '@nestjs/mongoose',
  '@nestjs/sequelize',
  '@nestjs/typeorm',
  '@mikro-orm/*',
];

/** Parts of packages that nothing of ours uses, but that are loaded with the rest: left for whoever calls them first. */
const UNUSED = ['libphonenumber-js/max', 'multer'];

const unusedParts = {
  name: 'unused-parts',
  setup(bundle) {
    bundle.onResolve({ filter: new RegExp(`^(${UNUSED.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'unused',
    }));
    // `(0, require)` is that of the banner: a plain one would be followed by the bundler.
    bundle.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `let part;
const loaded = () => (part ??= (0, require)(${JSON.stringify(path)}));
module.exports = new Proxy(function () {}, {
  get: (_, name) => Reflect.get(loaded(), name),
  apply: (_, self, values) => Reflect.apply(loaded(), self, values),
});`,
      loader: 'js',
    }));
  },
};

/** `import.meta.url` of our own files stays what it was: fonts, pages and migrations are found from there. */
const ownAddresses = {
  name: 'own-addresses',
  setup(bundle) {
    bundle.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const source = await readFile(path, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const from = relative(out, path).split('\\').join('/');
      const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`;
      return {
        contents: source.replaceAll('import.meta.url', address),
        loader: 'js',
        resolveDir: dirname(path),
      };
    });
  },
};

await build({
  entryPoints: [join(dist, 'serve.js')],
  outdir: out,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Names of classes are the names of providers and of errors.
  keepNames: true,
  sourcemap: false,
  // V8 keeps the source of what runs in memory, two bytes a letter where one letter is not Latin: without comments and
  // spaces, and with such letters escaped, it is a quarter. Identifiers stay, for those who read a stack trace.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  charset: 'ascii',
  lineLimit: 160,
  logLevel: 'error',
  external: APART,
  plugins: [unusedParts, ownAddresses],
  banner: {
    js: [
      "import { createRequire as requireFrom } from 'node:module';",
      "import { dirname as dirnameOf } from 'node:path';",
      "import { fileURLToPath as pathOf } from 'node:url';",
      'const require = requireFrom(import.meta.url), __filename = pathOf(import.meta.url), __dirname = dirnameOf(__filename);',
    ].join(' '),
  },
});

// Regular expressions are left as they are written, and one letter that is not Latin doubles a whole file in memory.
for (const name of await readdir(out)) {
  const file = join(out, name);
  const text = await readFile(file, 'utf8');
  const escaped = text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped !== text) await writeFile(file, escaped);
}
