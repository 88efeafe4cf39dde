import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Linter, RuleTester } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { KNOWN } from '../../eslint/known-tricks.mjs';
import library from '../../eslint/library-rules.mjs';

RuleTester.describe = describe;
RuleTester.it = it;

interface Sample {
  readonly code: string;
  readonly filename: string;
}

/** All samples are files of one TypeScript program, because a separate program for each takes a second. */
const sources = new Map<string, string>();
let program: ts.Program | undefined;

function programOfSamples(): ts.Program {
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(
    config,
    { ...ts.sys, readDirectory: () => [] },
    process.cwd(),
  );
  const host = ts.createCompilerHost(options);
  const onDisk = { fileExists: host.fileExists.bind(host), readFile: host.readFile.bind(host) };
  return ts.createProgram([...sources.keys()], options, {
    ...host,
    fileExists: (file) => sources.has(file) || onDisk.fileExists(file),
    readFile: (file) => sources.get(file) ?? onDisk.readFile(file),
    getSourceFile: (file, version) => {
      const text = sources.get(file) ?? onDisk.readFile(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, version, true);
    },
  });
}

const parse = tseslint.parser.parseForESLint as (code: string, options: object) => Linter.ESLintParseResult;
const parser: Linter.Parser = {
  parseForESLint: (code, options: object) =>
    parse(code, { ...options, programs: [(program ??= programOfSamples())] }),
};
const typed = new RuleTester({ languageOptions: { parser } });
const plain = new RuleTester();

function sampleOf(code: string): Sample {
  const filename = join(process.cwd(), `sample-${sources.size}.ts`);
  sources.set(filename, code);
  return { code, filename };
}

/** Checks samples of one rule: each sample in `found` breaks the rule at least once, and no sample in `honest` breaks it. */
function samples(rule: string, honest: readonly string[], found: readonly string[]) {
  typed.run(rule, library.rules[rule]!, {
    valid: honest.map(sampleOf),
    invalid: found.map((code) => ({ ...sampleOf(code), errors: 1 })),
  });
}

samples(
  'no-private-members',
  [
    "import type { Socket } from 'socket.io'; export const name = (s: Socket) => s.conn.transport.name;",
    'class Own { private _kept = 1; get kept() { return this._kept; } } export { Own };',
    "import { Writable } from 'node:stream'; export class Sink extends Writable { _write() { return; } }",
    'export const text = (given: unknown) => (given as { text: string }).text;',
    "import { createServer } from 'node:net'; export const { port } = createServer().address() as { port: number };",
    "import pg from 'pg'; class Own extends pg.Client { limit = 1; } export const limit = (c: pg.Client) => (c as unknown as Own).limit;",
    "export { useState } from 'preact/hooks';",
  ],
  [
    "import type { Socket } from 'node:net'; export const got = (s: Socket) => Reflect.get(s, '_httpMessage');",
    "import { OutgoingMessage } from 'node:http'; export const store = Reflect.get(OutgoingMessage.prototype, '_storeHeader');",
    "import { IncomingMessage } from 'node:http'; export class Shaped extends IncomingMessage { _parsedUrl = undefined; }",
    "import type { Socket } from 'engine.io'; export const waits = (s: Socket) => (s as unknown as { writeBuffer: unknown[] }).writeBuffer;",
    "import type { Socket } from 'engine.io'; const conn = {} as Socket; const wide: unknown = conn; export const inner = wide as { writeBuffer: unknown[] };",
    "import type { Socket } from 'engine.io'; export const buffer = (s: Socket) => s['writeBuffer'];",
    "import type { Connection } from 'pg'; export const known = (c: Connection) => (c as unknown as { parsedStatements: object }).parsedStatements;",
    "import pg from 'pg'; export const idle = (p: pg.Pool) => (p as any).idle;",
    'const archive: any = {}; export const { _module } = archive;',
    "const socket: any = {}; for (const name of ['_write'] as const) socket[name]();",
    'export const hidden = (socket: object) => Object.getOwnPropertySymbols(socket);',
    "import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js'; export { defaultMetadataStorage };",
    "declare module 'engine.io' { interface Socket { writeBuffer: unknown[] } }",
  ],
);

samples(
  'no-patching',
  [
    "import { ServerResponse } from 'node:http'; export const end = (r: ServerResponse) => { r.shouldKeepAlive = false; r.end(); };",
    "import { EventEmitter } from 'node:events'; export const stop = (e: EventEmitter, f: () => void) => e.off('x', f);",
    'const own = { go() { return 1; } }; own.go = () => 2; export { own };',
  ],
  [
    "import { ServerResponse } from 'node:http'; ServerResponse.prototype.setHeader = function () { return this; };",
    "import type { ServerResponse } from 'node:http'; export const quiet = (r: ServerResponse) => Object.assign(r, { end: () => r });",
    "import { IncomingMessage } from 'node:http'; import express from 'express'; Object.setPrototypeOf(IncomingMessage.prototype, express.request);",
    "import type { Duplex } from 'node:stream'; export const theirs = (s: Duplex) => s.listeners('data')[0];",
  ],
);

samples(
  'no-forced-collection',
  ["import { getHeapStatistics } from 'node:v8'; export { getHeapStatistics };"],
  [
    'global.gc?.();',
    "import { setFlagsFromString } from 'node:v8'; export const flags = 1;",
    "export const command = 'HeapProfiler.collectGarbage';",
    "export const options = ['--expose-gc'];",
    "import v8 from 'node:v8'; export const all = v8.queryObjects(Map);",
  ],
);

samples(
  'no-node-version',
  ['console.log(`Node ${process.version}`);', 'export const report = { node: process.versions.node };'],
  [
    "export const isOld = Number(process.versions.node.split('.')[0]) < 24;",
    "if (process.version.startsWith('v20')) process.exit(1);",
    "import { versions } from 'node:process'; export { versions };",
    'const { version } = process; export { version };',
  ],
);

plain.run('no-text-changes', library.rules['no-text-changes']!, {
  valid: [
    "import { build } from 'esbuild'; await build({ entryPoints: ['main.js'], bundle: true, minify: true });",
  ],
  invalid: [
    "export const plugin = { setup(bundle) { bundle.onLoad({ filter: /x/ }, () => ({ contents: '' })); } };",
    "const changed = new Function(`return ${String(theirs).replace('a', 'b')}`);",
    "await writeFile(join(root, 'node_modules/pg/lib/client.js'), text);",
    "import { registerHooks } from 'node:module';",
  ].map((code) => ({ code, errors: 1 })),
});

it('the list of known tricks names only existing files', () => {
  const files = ['src', 'scripts', 'sandbox', 'web', 'test', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  );
  expect(Object.keys(KNOWN).filter((file) => !files.includes(file))).toEqual([]);
});

it('no command starts Node with flags that force a garbage collection or change code', () => {
  const files = ['package.json', 'Dockerfile', 'docker-compose.yml', '.npmrc']
    .concat(readdirSync('.ci').map((name) => `.ci/${name}`))
    .concat(readdirSync('docs/deploy').map((name) => `docs/deploy/${name}`));
  const flags = /--(expose|allow)[-_](gc|natives)|--(experimental-)?loader|patch-package/;
  expect(files.filter((file) => flags.test(readFileSync(file, 'utf8')))).toEqual([]);
});
