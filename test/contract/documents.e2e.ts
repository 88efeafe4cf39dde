import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Package {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
}
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { version, scripts } = json('package.json') as Package;

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md', 'sandbox/README.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
]
  .filter((file) => file.endsWith('.md'))
  .map((document) => ({ document, text: readFileSync(document, 'utf8') }));

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/', 1)[0]));
const fileNames = new Set(files.map((file) => basename(file)));

const SOURCE_FILE = /^[\w./-]+\.(?:ts|tsx|mts|mjs|cjs|css|sql|sh)$/;

/** Provider files that the reader of the page creates. They do not exist here. */
const EXAMPLES: ReadonlySet<string> = new Set([
  'src/payments/providers/acme/acme.provider.ts',
  'acme-environment.ts',
  'acme.definition.ts',
]);

/** Returns the words in backticks of a text, except build results and paths inside a container. */
const codeWords = (text: string) =>
  [...text.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, code = '']) => code.split(/[\s,:{}()]+/))
    .filter((word) => !EXAMPLES.has(word) && !/^(?:\/|dist)/.test(word));

/** True if the path is a file or folder of the repository, or a pattern that matches one. */
function exists(path: string): boolean {
  const plain = path.replace(/\/$/, '');
  if (!/[*…<]/.test(plain)) return existsSync(plain);
  const pattern = plain
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/(?<!\))\*|…|<[^>]*>/g, '[^/]*');
  return files.some((file) => new RegExp(`^${pattern}(?:/|$)`).test(file));
}

/** The anchors of a document's headings, as GitHub creates them. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns all documents, each with the names for which `isWrong` returns true. */
const wrong = (namesIn: (text: string) => string[], isWrong: (name: string, document: string) => boolean) =>
  documents.flatMap(({ document, text }) =>
    namesIn(text)
      .filter((name) => isWrong(name, document))
      .map((name) => `${document}: ${name}`),
  );

describe('the documents', () => {
  it('the documents name only existing paths', () => {
    const paths = (text: string) =>
      codeWords(text).filter((word) => word.includes('/') && folders.has(word.split('/', 1)[0]));
    expect(documents.flatMap(({ text }) => paths(text)).length).toBeGreaterThan(100);
    expect(wrong(paths, (path) => !exists(path))).toEqual([]);
  });

  it('the documents name only existing source files', () => {
    const sources = (text: string) =>
      codeWords(text).filter((word) => SOURCE_FILE.test(word) && !folders.has(word.split('/', 1)[0]));
    const isMissing = (name: string) =>
      name.includes('/') ? !files.some((file) => file.endsWith(`/${name}`)) : !fileNames.has(name);
    expect(documents.flatMap(({ text }) => sources(text)).length).toBeGreaterThan(50);
    expect(wrong(sources, isMissing)).toEqual([]);
  });

  it('the documents name only existing npm scripts', () => {
    const called = (text: string) =>
      [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(documents.flatMap(({ text }) => called(text)).length).toBeGreaterThan(50);
    expect(wrong(called, (name) => !(name in scripts))).toEqual([]);
  });

  it('the documents link only to existing files and headings', () => {
    const links = (text: string) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => target);
    const isBroken = (link: string, document: string) => {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? document : normalize(join(dirname(document), path));
      if (!existsSync(target)) return true;
      return heading !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(heading);
    };
    expect(wrong(links, isBroken)).toEqual([]);
  });
});

describe('docs/performance.md', () => {
  it('docs/performance.md shows the figures of bench/figures.json in its table and its plot', () => {
    const check = spawnSync(process.execPath, ['bench/performance-page.mjs', '--check'], {
      encoding: 'utf8',
    });
    expect([check.status, check.stderr]).toEqual([0, '']);
  });
});

describe('the version', () => {
  it('the version is the same in package.json, its lock file, both API descriptions and the changelog', () => {
    const lock = json('package-lock.json') as Package & { packages: Record<string, Package> };
    const rest = (json('openapi.json') as { info: Package }).info;
    const live = (json('asyncapi.json') as { info: Package }).info;
    const [, latest] = /^## \[(\d[^\]]*)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    expect([lock.version, lock.packages['']?.version, rest.version, live.version, latest]).toEqual(
      Array<string>(5).fill(version),
    );
  });
});
