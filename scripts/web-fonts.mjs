// Splits the fonts of the receipts into WOFF2 files for pages, one per script with exactly its characters, so that a browser
// loads a script only when a name needs it. scripts/web-emoji.py makes the colour emoji.
// Run it by hand after a change of assets/fonts: node scripts/web-fonts.mjs
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'fontkit';
import subsetFont from 'subset-font';

const SOURCE = fileURLToPath(new URL('../assets/fonts/', import.meta.url));
const TARGET = fileURLToPath(new URL('../web/fonts/', import.meta.url));
const KIT = fileURLToPath(new URL('../web/kit/', import.meta.url));
/** Number of characters in one file of the large font: about 200 KB. */
const SLICE = 700;

// Two small files contain the characters that every page needs. Other files contain the rest of Latin, Greek and Cyrillic.
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const LATIN = [
  ...range(0x20, 0x7e),
  ...range(0xa0, 0xff),
  ...[0x131, 0x152, 0x153, 0x160, 0x161, 0x178, 0x17d, 0x17e, 0x192, 0x2c6, 0x2da, 0x2dc],
  ...range(0x2000, 0x206f),
  ...range(0x20a0, 0x20c0),
  ...[0x2122, 0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x2215, 0x2248, 0x2260, 0x2264, 0x2265],
];
const PARTS = [
  ['latin', new Set(LATIN)],
  ['latin-extended', new Set([...range(0x100, 0x2ff), ...range(0x300, 0x36f), ...range(0x1e00, 0x1eff)])],
  ['greek', new Set([...range(0x370, 0x3ff), ...range(0x1f00, 0x1fff)])],
  ['cyrillic', new Set([...range(0x400, 0x52f), ...range(0x1c80, 0x1c8f), ...range(0x2de0, 0x2dff)])],
];
// Joiners and spaces affect the characters around them, so the file of every script contains them.
const BOTH = ['400 500', '600 800'];
const JOINERS = [0x20, 0xa0, 0x200c, 0x200d, 0x25cc];

// Signs that only change the character before them. The files of the colour emoji contain them too, so that
// an emoji loads no second file.
const CHANGING = new Set([0x20e3, 0xfe0f, ...range(0xe0020, 0xe007f)]);

/** Control characters are left out. Otherwise a browser would load a font file only to draw a line break. */
const isControl = (character) => character < 0x20 || (character >= 0x7f && character < 0xa0);

const faces = [];
const taken = new Set();

async function write(name, bytes, characters, weight, ranged = characters) {
  const content = await subsetFont(bytes, String.fromCodePoint(...characters), { targetFormat: 'woff2' });
  writeFileSync(join(TARGET, `${name}.woff2`), content);
  // A browser combines only fonts of the same weight. So a script with one weight is declared for both weights.
  for (const one of [weight].flat())
    faces.push(`@font-face {
  font-family: 'Noto Sans';
  font-weight: ${one};
  font-display: swap;
  src: url('../fonts/${name}.woff2') format('woff2');
  unicode-range: ${ranges(ranged)};
}`);
}

/** Returns the characters as few ranges, such as `U+20-7E, U+A0`. */
function ranges(characters) {
  const sorted = [...characters].sort((a, b) => a - b);
  const runs = [];
  for (const character of sorted) {
    const last = runs.at(-1);
    if (last && character === last[1] + 1) last[1] = character;
    else runs.push([character, character]);
  }
  const hex = (value) => value.toString(16).toUpperCase();
  return runs.map(([from, to]) => (from === to ? `U+${hex(from)}` : `U+${hex(from)}-${hex(to)}`)).join(', ');
}

// scripts/web-emoji.py writes the colour emoji.
for (const file of readdirSync(TARGET)) if (!file.startsWith('colour-emoji-')) rmSync(join(TARGET, file));

for (const [file, weight] of [
  ['NotoSans-Regular.ttf', '400 500'],
  ['NotoSans-Bold.ttf', '600 800'],
]) {
  const bytes = readFileSync(join(SOURCE, file));
  const { characterSet } = create(bytes);
  for (const [part, wanted] of PARTS) {
    const characters = characterSet.filter((character) => wanted.has(character));
    for (const character of characters) taken.add(character);
    await write(`sans-${part}-${weight === '400 500' ? 'regular' : 'bold'}`, bytes, characters, weight);
  }
}
const others = readdirSync(SOURCE)
  .filter((file) => /\.(ttf|otf)$/.test(file) && !/^NotoSans-|-Bold\./.test(file))
  // Emoji and symbols last: a script's own font has better versions of some of their characters.
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
function rank(file) {
  if (/CJK/.test(file)) return 1;
  return /Emoji|Symbols|Math/.test(file) ? 2 : 0;
}
for (const file of others) {
  const bytes = readFileSync(join(SOURCE, file));
  const own = create(bytes).characterSet.filter(
    (character) => !taken.has(character) && !isControl(character),
  );
  const name = file.replace(/^Noto|-Regular\.(ttf|otf)$/g, '').toLowerCase();
  for (const character of own) taken.add(character);
  if (!/CJK/.test(file)) {
    const ranged = own.filter((character) => !CHANGING.has(character));
    const bold = file.replace('-Regular', '-Bold');
    const hasBold = bold !== file && existsSync(join(SOURCE, bold));
    await write(name, bytes, [...own, ...JOINERS], hasBold ? '400 500' : BOTH, ranged);
    if (hasBold)
      await write(`${name}-bold`, readFileSync(join(SOURCE, bold)), [...own, ...JOINERS], '600 800', ranged);
    continue;
  }
  for (let at = 0; at < own.length; at += SLICE)
    await write(`cjk-${String(at / SLICE).padStart(2, '0')}`, bytes, own.slice(at, at + SLICE), BOTH);
}
const atOnce = (face) => /sans-latin-(regular|bold)/.test(face);
writeFileSync(
  join(KIT, 'fonts.css'),
  `/* Written by scripts/web-fonts.mjs: fonts that every page needs at once. */\n${faces.filter(atOnce).join('\n')}\n`,
);
writeFileSync(
  join(KIT, 'fonts-world.css'),
  `/* Written by scripts/web-fonts.mjs: other scripts; a browser loads one when a name in it is shown. */\n@import './fonts-emoji.css';\n${faces.filter((face) => !atOnce(face)).join('\n')}\n`,
);
console.log(`${faces.length} files`);
