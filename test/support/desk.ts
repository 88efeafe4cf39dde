import { readFileSync } from 'node:fs';
import type { Browser, Download, Page } from 'playwright-core';
import type { TestApp } from './app.js';
import { accessibilityProblems, openPage, type PageOptions, SCREENS, takePicture } from './browser.js';
import { ADMIN_PASSWORD, createAdmin } from './fixtures.js';

export interface OpenDesk {
  readonly page: Page;
  readonly problems: string[];
  /** E-mail address of the signed-in account. */
  readonly email: string;
}

/** Opens the dashboard in its own browser context, signed in with `account` or a new account. */
export async function openDesk(
  browser: Browser,
  app: TestApp,
  path = '',
  options: PageOptions & { readonly role?: string; readonly account?: string } = {},
): Promise<OpenDesk> {
  const { role = 'ADMIN', account, ...context } = options;
  const email = account ?? (await createAdmin(app, undefined, role)).email;
  const opened = await openPage(browser, { viewport: SCREENS.hd, ...context });
  const { page } = opened;
  await page.goto(`${app.url}/admin${path === '' ? '' : `/${path}`}`);
  await signIn(page, email);
  // Before the sign-in, the service refuses to renew a session. The test expects this refusal.
  opened.problems.splice(0);
  return { ...opened, email };
}

export async function signIn(page: Page, email: string, password = ADMIN_PASSWORD): Promise<void> {
  await typeIn(page, email, password);
  await page.locator('#main').waitFor();
}

/** Enters e-mail and password and sends the form. The caller checks the result. */
export async function typeIn(page: Page, email: string, password = ADMIN_PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Enters the password again, because a change requires it. */
export async function confirmIdentity(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
  await dialog.getByLabel('Password').fill(ADMIN_PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Signs out with the menu of the user's name. */
export async function signOut(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /Account, language and theme/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
}

/** Clicks and returns the file that the browser downloads. */
export async function saved(
  page: Page,
  press: () => Promise<void>,
): Promise<{ download: Download; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { download, bytes: readFileSync(await download.path()) };
}

/** Uses each size and each colour scheme once. `admin-looks.e2e.ts` tests every page in the other two combinations. */
const LOOKS = [
  ['hd', 'dark'],
  ['phone', 'light'],
] as const;
const SETTLED_MS = 200;

/**
 * Takes pictures of the page: large and dark, small and light. Returns the violations of axe and the elements that are too
 * wide, one line each. At the end, the page is large and light.
 */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [screen, colorScheme] of LOOKS) {
    await page.setViewportSize(SCREENS[screen]);
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(SETTLED_MS);
    await takePicture(page, `admin-${name}-${screen}-${colorScheme}`);
    const problems = await accessibilityProblems(page);
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      problems.push('wider than the screen');
    found.push(...problems.map((problem) => `${name}, ${screen}, ${colorScheme}: ${problem}`));
  }
  await page.setViewportSize(SCREENS.hd);
  await page.waitForTimeout(SETTLED_MS);
  return found;
}
