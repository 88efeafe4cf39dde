import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';

const bundle = fileURLToPath(new URL('../../dist/bundle/', import.meta.url));
const textOf = (name: string) => readFileSync(bundle + name, 'utf8');
const filesOf = (folder: string) =>
  readdirSync(bundle + folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => folder + name);
// As they are written without spaces: `from"x"`, `import"x"`.
const STATIC = /(?:\bfrom|[;\n]import)\s*"([^"]+)"/g;

/** What the bundle loads before the first request: its own files, and packages beside it. */
function loadedAtStart() {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = ['serve.js'];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name)) continue;
    files.add(name);
    for (const [, wanted = ''] of textOf(name).matchAll(STATIC)) {
      if (wanted.startsWith('./')) waiting.push(wanted.slice(2));
      else packages.add(wanted);
    }
  }
  return { files: [...files], packages: [...packages] };
}

describe('what a start loads', () => {
  const { files, packages } = loadedAtStart();

  it('leaves drawing, packing, pictures and codes for the request that needs them', () => {
    expect(packages).toContain('bcrypt');
    for (const later of ['pdfkit', 'fontkit', 'archiver', 'piscina', 'qrcode', '@zxcvbn-ts/core'])
      expect(packages).not.toContain(later);
  });

  it('leaves the query compiler, the codecs, mail, Redis and payment providers for whoever needs them', () => {
    const all = filesOf('');
    const holds = (names: readonly string[], words: string) =>
      names.some((name) => textOf(name).includes(words));
    // Words of each that stand nowhere else.
    for (const words of [
      'inlineSchema',
      'Could not load the',
      'ECONNECTION',
      'MaxRetriesPerRequestError',
      'StripeIdempotencyError',
      'ORDER_ALREADY_CAPTURED',
    ]) {
      expect([words, holds(all, words)]).toEqual([words, true]);
      expect([words, holds(files, words)]).toEqual([words, false]);
    }
  });

  it('reads at most five megabytes of source', () => {
    expect(files.reduce((sum, name) => sum + textOf(name).length, 0)).toBeLessThan(5_000_000);
  });

  it('defines few names: of most functions the language knows them', () => {
    const definitions = files.flatMap((name) => [...textOf(name).matchAll(/\b__name\(/g)]);
    expect(definitions.length).toBeLessThan(1_000);
  });

  it('leaves the whole of fetch for the first request to somewhere else', () => {
    for (const name of files) {
      expect([name, /\b(?:from|import)\s*"(?:node:)?http"/.exec(textOf(name))?.[0]]).toEqual([
        name,
        undefined,
      ]);
      expect([name, /typeof Request\b/.exec(textOf(name))?.[0]]).toEqual([name, undefined]);
    }
  });

  it('has none of the library that asks for each step whether anybody looks for faults', () => {
    const words = 'Instance method `debug.destroy()` is deprecated';
    expect(files.filter((name) => textOf(name).includes(words))).toEqual([]);
  });

  it('has one list of media types, and no tables of letters', () => {
    const lists = files.filter((name) => textOf(name).includes('application/vnd.3gpp.pic-bw-large'));
    expect(lists).toHaveLength(1);
    expect(textOf(lists[0] ?? '').split('application/vnd.3gpp.pic-bw-large')).toHaveLength(2);
    expect(packages).not.toContain('iconv-lite');
    expect(files.some((name) => textOf(name).includes('iconv-lite/encodings/tables/cp936.json'))).toBe(true);
  });

  it('has no letter that would make V8 keep a file with two bytes for each', () => {
    for (const name of [...filesOf(''), ...filesOf('thread/')])
      expect([name, /[^\0-\x7f]/.exec(textOf(name))?.[0]]).toEqual([name, undefined]);
  });
});

describe('what the thread of exports loads', () => {
  const files = filesOf('thread/');
  const text = files.map(textOf).join('\n');

  it('is made of a few files that need no packages beside them', () => {
    expect(files).toEqual(
      expect.arrayContaining(
        ['receipt-files.js', 'summary-pdf.js', 'statement-pdf.js'].map((name) => `thread/${name}`),
      ),
    );
    const wanted = [...text.matchAll(STATIC)].map(([, name = '']) => name);
    const packages = wanted.filter((name) => /^[@\w]/.test(name) && !isBuiltin(name));
    expect(packages).toEqual([]);
  });

  it('has nothing of the frame that answers requests, nor a decoder of fonts that we do not have', () => {
    // Words of Nest, rxjs and brotli's decoder that stand nowhere else; and one of PDFKit, which is there.
    expect(text).toContain('PDFFont');
    for (const word of ['HttpException', 'ObjectUnsubscribedError', 'BrotliBitReader'])
      expect([word, text.includes(word)]).toEqual([word, false]);
  });
});
