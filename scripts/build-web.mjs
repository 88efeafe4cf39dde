// Builds the pages of web/ into dist/web: one script and one style sheet per page, named with a digest of their content.
// The files are compressed here, so that no request compresses them. A manifest lists them for the server.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { minify } from '@swc/core';
import { build } from 'esbuild';
import { packedTexts } from './text-modules.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WEB = join(ROOT, 'web');
const OUT = join(ROOT, 'dist/web');
const FILES = 'files';
/** For files smaller than this number of bytes, compression costs more than it saves. */
const WORTH_COMPRESSING = 512;
/** Most pages share chunks, so the target is the oldest browser that web/README.md lists. */
const TARGET = ['chrome87', 'firefox90', 'safari15'];

// Every page is a folder with `page.ts` or `page.tsx`, or with only `page.css` if the page needs no script.
const entries = readdirSync(WEB, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(WEB, name))
      .filter((file) => /^(page\.tsx?|page\.css|service-worker\.ts)$/.test(file))
      .map((file) => join(WEB, name, file)),
  );
entries.push(join(WEB, 'kit/fonts-world.css'));

/** People use these pages for hours. They share no files with other pages, because one large file is smaller than several, compressed. */
const ALONE = ['admin', 'pos'];
const isOf = (folder) => (entry) => entry.startsWith(join(WEB, folder, '/'));

/** Builds pages that share chunks. Returns the outputs by path. */
async function bundled(entryPoints) {
  const { metafile } = await build({
    entryPoints,
    outdir: join(OUT, FILES),
    outbase: WEB,
    entryNames: '[dir]-[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: TARGET,
    minify: true,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.woff2': 'file', '.svg': 'file', '.txt': 'text' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [packedTexts(WEB, join(OUT, 'packed'))],
    logLevel: 'warning',
  });
  return metafile.outputs;
}

rmSync(OUT, { recursive: true, force: true });
const shared = entries.filter((entry) => !ALONE.some((folder) => isOf(folder)(entry)));
const groups = [shared, ...ALONE.map((folder) => entries.filter(isOf(folder)))];
const outputs = Object.assign({}, ...(await Promise.all(groups.map(bundled))));

// A second pass makes the scripts 4% smaller, compressed: it inlines what is used once.
await Promise.all(
  Object.keys(outputs)
    .filter((file) => file.endsWith('.js'))
    .map(async (file) => {
      const path = join(ROOT, file);
      const { code } = await minify(readFileSync(path, 'utf8'), {
        compress: { passes: 2 },
        mangle: true,
        module: true,
        ecma: 2020,
      });
      writeFileSync(path, code);
    }),
);

// The script for other websites: one classic script, because a website pastes its address and nothing else.
const embed = await build({
  entryPoints: [join(WEB, 'embed/embed.ts')],
  outdir: join(OUT, FILES),
  entryNames: 'embed-[hash]',
  bundle: true,
  format: 'iife',
  target: TARGET,
  minify: true,
  metafile: true,
  logLevel: 'warning',
});
const embedName = basename(Object.keys(embed.metafile.outputs)[0]);

/** Returns the other files that the script or style sheet of a page loads: chunks, languages and fonts. */
function filesReached(file, found = new Set()) {
  for (const { path, external } of outputs[file]?.imports ?? []) {
    if (external || found.has(path)) continue;
    found.add(path);
    filesReached(path, found);
  }
  return [...found].map((path) => relative(join(OUT, FILES), join(ROOT, path)));
}

/** Copies a file. The new name contains a digest of the content. */
function copied(path, prefix) {
  const content = readFileSync(path);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const name = `${prefix}-${basename(path, extname(path))}-${digest}${extname(path)}`;
  writeFileSync(join(OUT, FILES, name), content);
  return name;
}

const pages = {};
const page = (name) => (pages[name] ??= { styles: [] });
const isEntry = new Set(entries.map((entry) => relative(ROOT, entry)));
for (const [file, output] of Object.entries(outputs)) {
  // esbuild also lists scripts that are loaded later, such as a language, as entries. They are not pages.
  if (!isEntry.has(output.entryPoint)) continue;
  const [, folder, kind] = /^web\/([^/]+)\/(.+)\.\w+$/.exec(output.entryPoint);
  const name = kind === 'page' ? folder : `${folder}/${kind}`;
  const path = relative(join(OUT, FILES), join(ROOT, file));
  if (path.endsWith('.css')) page(name).styles.push(path);
  else page(name).script = path;
  if (output.cssBundle) page(name).styles.push(relative(join(OUT, FILES), join(ROOT, output.cssBundle)));
  const reached = filesReached(file);
  if (reached.length > 0) page(name).parts = [...(page(name).parts ?? []), ...reached].sort();
}
const icon = readFileSync(join(WEB, 'kit/icon.svg'));
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
writeFileSync(join(OUT, FILES, iconName), icon);
for (const [name, found] of Object.entries(pages)) {
  const folder = join(WEB, name, 'icons');
  if (!existsSync(folder)) continue;
  found.icons = Object.fromEntries(
    readdirSync(folder).map((file) => [file, copied(join(folder, file), name)]),
  );
}
writeFileSync(
  join(OUT, 'manifest.json'),
  JSON.stringify({ icon: iconName, embed: embedName, pages }, null, 2),
);

for (const { name } of readdirSync(WEB, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const texts = join(WEB, name, 'texts');
  if (existsSync(texts)) cpSync(texts, join(OUT, 'texts', name), { recursive: true });
}

const text = readdirSync(join(OUT, FILES)).filter((file) => /\.(js|css|svg)$/.test(file));
await Promise.all(
  text.map(async (file) => {
    const content = readFileSync(join(OUT, FILES, file));
    if (content.length < WORTH_COMPRESSING) return;
    const brotli = await promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
    });
    writeFileSync(join(OUT, FILES, `${file}.br`), brotli);
    writeFileSync(join(OUT, FILES, `${file}.gz`), await promisify(gzip)(content, { level: 9 }));
  }),
);
