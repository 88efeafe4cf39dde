import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { openPage, type PageOptions, SCREENS } from './browser.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

export interface OpenWall {
  readonly page: Page;
  readonly problems: string[];
  /** Waits until an expression is true in the page. The page's policy forbids evaluating text inside it. */
  until(expression: string, milliseconds?: number): Promise<void>;
  /** Opens another wall in the same browser, which has already cached the files. */
  show(address: string): Promise<OpenWall>;
}

/** Opens a wall in a browser. Waits until it is connected and its fonts are loaded. */
export async function openWall(
  browser: Browser,
  address: string,
  options: PageOptions = {},
): Promise<OpenWall> {
  const { page, problems } = await openPage(browser, { viewport: SCREENS.hd, ...options });
  const until = async (expression: string, milliseconds = 20_000) => {
    for (const deadline = Date.now() + milliseconds; !(await page.evaluate<boolean>(expression));) {
      if (Date.now() > deadline) throw new Error(`never true: ${expression}`);
      await page.waitForTimeout(50);
    }
  };
  const wall: OpenWall = {
    page,
    problems,
    until,
    show: async (next) => {
      await page.goto(next);
      await page.waitForSelector('html[data-state=live]');
      await page.evaluate('document.fonts.ready');
      return wall;
    },
  };
  return await wall.show(address);
}

export interface Box {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** True if the element hides a line or more of its own text. */
  readonly cut: boolean;
}

/** Returns the positions of those given elements that are visible. */
export const boxesOf = (page: Page, selectors: readonly string[]): Promise<Box[]> =>
  page.evaluate<Box[]>(`${JSON.stringify(selectors)}.flatMap((name) =>
    [...document.querySelectorAll(name)]
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        const { overflowY, fontSize } = getComputedStyle(element);
        // Letters may be taller than their line without being hidden.
        const hidden = element.scrollHeight - element.clientHeight > parseFloat(fontSize) * 0.6;
        const cut = (overflowY !== 'visible' && hidden) || element.scrollWidth > element.clientWidth + 2;
        return { name, left, top, right, bottom, cut };
      }))`);

export const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

/** Draws a picture at the given width and height. Returns its pixels: red, green, blue, opacity. */
export async function pixelsOf(page: Page, picture: Buffer, size: number): Promise<Uint8ClampedArray> {
  const blank = await page.context().newPage();
  // The page returns the pixels as one text, because a list of a million numbers takes fifteen seconds to transfer.
  const bytes = await blank.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = ${size};
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, ${size}, ${size});
    const { data } = context.getImageData(0, 0, ${size}, ${size});
    let text = '';
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return btoa(text);
  })()`);
  await blank.close();
  return Uint8ClampedArray.from(Buffer.from(bytes, 'base64'));
}

/** Takes a picture of an element, `size` pixels wide, and reads the QR code in it. */
export async function readCode(page: Page, selector: string, size: number): Promise<string | undefined> {
  const picture = await page.locator(selector).screenshot();
  return decode(await pixelsOf(page, picture, size), size, size)?.data;
}
