// Packs the texts of a page. Each key begins like its neighbours, so a page with two thousand texts loads 4 KB less if a part
// that keys share is written once. `web/kit/packed-texts.ts` unpacks them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Characters that separate keys or texts. */
const SEPARATOR = /[{},\n]/;

/**
 * Packs texts: one line with the keys, then one line for each text in the order of the keys.
 * `{"a.b":"One","a.c":"Two"}` becomes `a{b,c}`, `One`, `Two`.
 * @throws Error if a key or a text contains a separator
 */
export function packTexts(table) {
  const texts = [];
  const keys = branch(
    Object.entries(table).map(([key, text]) => {
      if (SEPARATOR.test(key) || key.split('.').includes('') || text.includes('\n'))
        throw new Error(`This text cannot be packed: ${key}`);
      return [key.split('.'), text];
    }),
    texts,
  );
  return [keys, ...texts].join('\n');
}

/** Writes the keys that begin with the same part next to each other, and adds their texts in this order. */
function branch(entries, texts) {
  const groups = new Map();
  for (const [[first, ...rest], text] of entries) {
    if (!groups.has(first)) groups.set(first, { text: undefined, below: [] });
    const group = groups.get(first);
    if (rest.length === 0) group.text = text;
    else group.below.push([rest, text]);
  }
  return [...groups]
    .flatMap(([name, { text, below }]) => {
      if (text !== undefined) texts.push(text);
      return [
        ...(text === undefined ? [] : [name]),
        ...(below.length === 0 ? [] : [`${name}{${branch(below, texts)}}`]),
      ];
    })
    .join(',');
}

/**
 * Plugin of esbuild: `import('./texts/de.json?packed')` loads the packed texts as one string.
 * @param from folder of the pages
 * @param to folder for the packed texts
 */
export const packedTexts = (from, to) => ({
  name: 'packed-texts',
  setup(build) {
    build.onResolve({ filter: /\.json\?packed$/ }, ({ path, importer }) => {
      const source = join(dirname(importer), path.replace('?packed', ''));
      const packed = join(to, relative(from, source)).replace(/json$/, 'txt');
      mkdirSync(dirname(packed), { recursive: true });
      writeFileSync(packed, packTexts(JSON.parse(readFileSync(source, 'utf8'))));
      return { path: packed };
    });
  },
});
