import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openPage, SCREENS } from './browser.js';

const decode = (createRequire(import.meta.url)('jsqr') as { default: typeof jsQR }).default;

export interface OpenWall {
  readonly page: Page;
  readonly problems: string[];
  /** Waits until something is so in the page. */
  until(holds: () => boolean, what: string, milliseconds?: number): Promise<void>;
}

/** A wall in a browser, connected, with its fonts. */
export async function openWall(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenWall> {
  const { page, problems } = await openPage(browser, { viewport: SCREENS.hd, ...options });
  await page.goto(address);
  await page.waitForSelector('html[data-state=live]');
  await page.evaluate('document.fonts.ready');
  const until = async (holds: () => boolean, what: string, milliseconds = 20_000) => {
    for (const deadline = Date.now() + milliseconds; !(await page.evaluate(holds));) {
      if (Date.now() > deadline) throw new Error(`never: ${what}`);
      await page.waitForTimeout(50);
    }
  };
  return { page, problems, until };
}

export interface Box {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Text that its own element hides. */
  readonly cut: boolean;
}

/** Where the visible ones of some elements stand. */
export const boxesOf = (page: Page, selectors: readonly string[]): Promise<Box[]> =>
  page.evaluate(
    (names) =>
      names.flatMap((name) =>
        [...document.querySelectorAll<HTMLElement>(name)]
          .filter((element) => element.checkVisibility())
          .map((element) => {
            const { left, top, right, bottom } = element.getBoundingClientRect();
            const cut = element.scrollHeight > element.clientHeight + 2;
            return { name, left, top, right, bottom, cut };
          }),
      ),
    [...selectors],
  );

export const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

/** Reads the code in an element of the page from a picture of it that is `pixels` wide. */
export async function readCode(page: Page, selector: string, pixels: number): Promise<string | undefined> {
  const picture = (await page.locator(selector).screenshot()).toString('base64');
  const blank = await page.context().newPage();
  const bytes = await blank.evaluate(
    async ([source, width]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = width;
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0, width, width);
      return [...(context?.getImageData(0, 0, width, width).data ?? [])];
    },
    [picture, pixels] as const,
  );
  await blank.close();
  return decode(Uint8ClampedArray.from(bytes), pixels, pixels)?.data;
}
