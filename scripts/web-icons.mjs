// Draws the PNG icons of the terminals' page from web/pos/icons/icon.svg. For developers, after a change of the drawing;
// needs Chromium (CHROMIUM_PATH, default /usr/bin/chromium).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), 'web/pos/icons');
const rounded = readFileSync(join(FOLDER, 'icon.svg'), 'utf8');
const square = rounded.replace('rx="112" ', '');
// Systems may crop the icon to any shape, so the important part must be in the inner four fifths.
const maskable = square
  .replace('<g fill="none"', '<g transform="translate(51 51) scale(0.8)"><g fill="none"')
  .replace('</svg>', '</g></svg>');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const [name, size, drawing] of [
  ['180.png', 180, square],
  ['192.png', 192, rounded],
  ['512.png', 512, rounded],
  ['maskable-512.png', 512, maskable],
]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${drawing}`);
  await page.screenshot({ path: join(FOLDER, name), omitBackground: true });
  await page.close();
}
await browser.close();
