import { existsSync } from 'node:fs';
import module from 'node:module';

// Reading and compiling some three thousand files is most of a start. The build puts them into a few (`scripts/bundle.mjs`),
// and Node 22 and newer keep what they compiled; where the folder cannot be written to, it is compiled each time.
const BUNDLED = new URL('./bundle/serve.js', import.meta.url);
const COMPILED = new URL('./compiled/', import.meta.url);
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(decodeURIComponent(COMPILED.pathname));

const server = existsSync(BUNDLED) ? BUNDLED.href : new URL('./server/serve.js', import.meta.url).href;
const { serve } = (await import(server)) as typeof import('./server/serve.js');
// `--compile`: what was compiled is kept as the process ends. For images, whose files cannot be written to later.
if (!process.argv.includes('--compile')) await serve();
