import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mkdir } from 'node:fs/promises';
import { CHECKED_RULES } from '../../src/pages/accessibility/checks.js';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The screen sizes of the page tests. */
export const SCREENS = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  hd: { width: 1280, height: 720 },
  fullHd: { width: 1920, height: 1080 },
  uhd: { width: 3840, height: 2160 },
} as const;

/** Starts a real browser that sends requests only to this machine. */
export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface PageOptions extends BrowserContextOptions {
  /** A script that runs in each document before the scripts of the page. */
  readonly initScript?: string;
}

export interface OpenPage {
  readonly page: Page;
  /** All script errors, policy violations and failed requests of the page. */
  readonly problems: string[];
}

/** Opens a page in a new context and collects its problems. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<OpenPage> {
  const { initScript, ...contextOptions } = options;
  const context = await browser.newContext({ locale: 'en-GB', viewport: SCREENS.phone, ...contextOptions });
  if (initScript !== undefined) await context.addInitScript(initScript);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { page, problems };
}

/** Rules beyond WCAG: each page has a heading, and screen readers find all of its content by landmarks. */
const LANDMARKS: readonly string[] = ['landmark-one-main', 'page-has-heading-one', 'region'];

/**
 * Returns the violations of WCAG 2.2 A and AA, and of the rules for landmarks, that axe finds, one line each. Works under the
 * strict policy of the pages.
 * @param landmarks none for an e-mail, because the mail program has the landmarks
 */
export async function accessibilityProblems(
  page: Pick<Page, 'evaluate'>,
  { landmarks = LANDMARKS }: { readonly landmarks?: readonly string[] } = {},
): Promise<string[]> {
  // The script of axe has half a megabyte, so each document loads the script only once.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  // A text that fades in has too little contrast for a moment.
  await page.evaluate(() =>
    Promise.race([
      Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]).then(() => undefined),
  );
  return await page.evaluate(
    async ({ rules, landmarks }) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(options: object): Promise<{
            violations: { id: string; help: string; nodes: { target: unknown; failureSummary?: string }[] }[];
          }>;
        };
      };
      const { violations } = await axe.run({
        runOnly: rules,
        rules: Object.fromEntries(landmarks.map((rule) => [rule, { enabled: true }])),
        resultTypes: ['violations'],
      });
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id}: ${help} (${String(target)}) ${failureSummary ?? ''}`,
        ),
      );
    },
    { rules: CHECKED_RULES, landmarks },
  );
}

/** With `PICTURES=1`, saves a screenshot for people in test/.output/pictures. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  await mkdir('test/.output/pictures', { recursive: true });
  await page.screenshot({ path: `test/.output/pictures/${name}.png`, fullPage: true });
}
