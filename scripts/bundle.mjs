// Puts the server and most of its packages into a few files: three thousand take twice the time to start and 50 MB more
// (docs/decisions/0044-bundled-server.md). Commands of operators and the thread of exports use the single files of dist/.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');

await build({
  entryPoints: { main: join(dist, 'server/start.js') },
  outdir: dist,
  chunkNames: 'bundle/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Names of classes are the names of providers and of errors.
  keepNames: true,
  // V8 keeps the source text: comments and spaces take 20 MB.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'error',
  external: [
    // With machine code or files of their own, most loaded with the first request that needs them.
    ...[
      'bcrypt',
      'sharp',
      'pdfkit',
      'fontkit',
      'archiver',
      'piscina',
      'qrcode',
      'swagger-ui-dist',
      '@zxcvbn-ts/*',
    ],
    // Optional packages of Nest, not installed.
    ...['@nestjs/microservices', '@nestjs/microservices/*', '@fastify/static'],
  ],
  // For packages in CommonJS.
  banner: {
    js: [
      "import { createRequire as requireFrom } from 'node:module';",
      "import { dirname as dirnameOf } from 'node:path';",
      "import { fileURLToPath as pathOf } from 'node:url';",
      'const require = requireFrom(import.meta.url), __filename = pathOf(import.meta.url), __dirname = dirnameOf(__filename);',
    ].join(' '),
  },
});
