// Puts the built server and the packages it runs on into a few files: `dist/main.js` starts in a third of the time. The
// files they came from stay where they are, for the commands of operators and for tests.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { httpByRequire, ourFiles, packageData, silentDebug, unusedParts } from './bundle-plugins.mjs';
import { namedByLanguage, withOurHelpers } from './bundled-text.mjs';

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

/** What runs on the thread of exports (`ExportThread`), whose memory is that of what it loads. */
const ON_THREAD = [
  'receipts/receipt-files.js',
  'reporting/summary/summary-pdf.js',
  'donors/statement-pdf.js',
];

await bundle(['server/serve.js'], out, APART);
await bundle(ON_THREAD, join(out, 'thread'), []);

/** @param entries files of `dist` @param apart packages that stay where they are */
async function bundle(entries, outdir, apart) {
  const { outputs } = (
    await build({
      entryPoints: entries.map((file) => join(dist, file)),
      outdir,
      entryNames: '[name]',
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
      metafile: true,
      absWorkingDir: root,
      external: apart,
      plugins: [unusedParts, silentDebug, httpByRequire, packageData(root), ourFiles({ dist, out: outdir })],
      banner: {
        js: [
          "import { createRequire as requireFrom } from 'node:module';",
          "import { dirname as dirnameOf } from 'node:path';",
          "import { fileURLToPath as pathOf } from 'node:url';",
          'const require = requireFrom(import.meta.url), __filename = pathOf(import.meta.url), __dirname = dirnameOf(__filename);',
        ].join(' '),
      },
    })
  ).metafile;
  for (const file of Object.keys(outputs)) {
    const text = await readFile(join(root, file), 'utf8');
    await writeFile(join(root, file), ascii(namedByLanguage(withOurHelpers(text))));
  }
}

/** Regular expressions are left as they are written, and one letter that is not Latin doubles a whole file in memory. */
function ascii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
