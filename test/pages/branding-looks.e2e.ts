import { afterEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { DonationBook } from '../support/donations.js';
import { startPaymentsApp } from '../support/payments.js';
import { Tills } from '../support/pos.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { openWall } from '../support/wall-page.js';
import { until } from '../support/until.js';

const BRANDINGS = [
  [
    'a dark paper',
    { '--background-color': '#101228', '--text-color': '#f0f0ff', '--brand-color': '#8f7bff' },
  ],
  ['a dark brand', { '--brand-color': 'navy' }],
  ['a yellow brand', { '--brand-color': 'hsl(50 100% 50%)' }],
  ['a text colour that is equal to the paper', { '--background-color': '#777', '--text-color': '#777777' }],
] as const;

describeWithChromium('the colours of a branding', (executablePath) => {
  const app = withService(startPaymentsApp);
  const admin = withAdmin(app);
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  let tills: Tills | undefined;

  afterEach(async () => {
    expect((await tills?.close()) ?? []).toEqual([]);
    tills = undefined;
  });

  const named = (name: string, page: string) => `branding-${name.replaceAll(' ', '-')}-${page}`;
  const check = async (page: Page, name: string) => {
    await page.waitForTimeout(500);
    await takePicture(page, name);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await accessibilityProblems(page)).toEqual([]);
  };

  it.each(BRANDINGS)('%s leaves the donate page readable in light and dark', async (name, variables) => {
    const event = await book.event({ overrides: { theme: { variables } } });
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await openPage(browser, { colorScheme });
      await page.goto(`${app.url}/donate/${event.slug}`);
      await page.getByLabel('€50', { exact: true }).check();
      await check(page, named(name, `donate-${colorScheme}`));
      expect(problems).toEqual([]);
      await page.context().close();
    }
  });

  it.each(BRANDINGS)(
    '%s leaves the wall and its message readable in every theme',
    async (name, variables) => {
      for (const theme of ['light', 'dark', 'gala'] as const) {
        const event = await book.event({
          goal_amount: 60_000,
          overrides: {
            theme: { variables },
            live: { theme, wall: { notice: 'Dinner is served' }, celebrateFrom: 10_000 },
          },
        });
        await book.give(event.id, { amount: 5000, message: 'Well done!' });
        const { page, problems } = await openWall(browser, `${app.url}/wall/${event.slug}`);
        await page.waitForSelector('#notice:visible');
        await page.waitForSelector('.donation');
        await check(page, named(name, `wall-${theme}`));
        await book.give(event.id, { amount: 20_000, message: 'Keep going!' });
        await page.waitForSelector('#celebration:visible');
        await check(page, named(name, `wall-${theme}-celebration`));
        expect(problems).toEqual([]);
        await page.context().close();
      }
    },
  );

  it.each(BRANDINGS)('%s leaves the till readable', async (name, variables) => {
    await admin.patch('/settings/global', { theme: { variables } }).expect(200);
    tills = new Tills(app, admin.token, browser);
    const page = await tills.begin();
    for (const digit of '25') await page.keyboard.press(`Digit${digit}`);
    await check(page, named(name, 'till'));
    const none = Object.fromEntries(Object.keys(variables).map((variable) => [variable, null]));
    await admin.patch('/settings/global', { theme: { variables: none } }).expect(200);
  });

  it.each(BRANDINGS)(
    '%s leaves the preview in the dashboard readable before it is saved',
    async (name, variables) => {
      const event = await book.event({ status: 'active' });
      const { page, problems } = await openDesk(browser, app, `settings/branding?event=${event.slug}`, {
        viewport: SCREENS.hd,
      });
      const labels = {
        '--brand-color': 'Brand colour',
        '--background-color': 'Background',
        '--text-color': 'Text',
      } as const;
      for (const [variable, value] of Object.entries(variables))
        await page.getByLabel(labels[variable as keyof typeof labels], { exact: true }).fill(value);
      for (const view of ['Donate page', 'Wall']) {
        await page.getByRole('button', { name: view, exact: true }).click();
        const root = page.frameLocator(`iframe[title="${view}"]`).locator('html');
        await until(
          async () =>
            (await root.evaluate((element) =>
              getComputedStyle(element).getPropertyValue('--brand-color'),
            )) === ((variables as Record<string, string>)['--brand-color'] ?? ''),
          `${view} with the branding`,
        );
        await check(page, named(name, `preview-${view}`));
      }
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('the dashboard offers the nearest readable text colour instead of saving an unreadable one', async () => {
    const event = await book.event({ status: 'active' });
    const { page, problems } = await openDesk(browser, app, `settings/branding?event=${event.slug}`);
    await page.getByLabel('Background', { exact: true }).fill('#ffffff');
    await page.getByLabel('Text', { exact: true }).fill('#bbbbbb');
    const alert = page.getByRole('alert').filter({ hasText: 'The nearest readable colour is' });
    await alert.waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await check(page, 'branding-offer');
    await page.getByRole('button', { name: /^Use #/ }).click();
    await alert.waitFor({ state: 'detached' });
    await save.click();
    await page.getByText('Saved.').first().waitFor();
    const answer = await page.request.get(`${app.url}/events/${event.slug}/settings`);
    const { theme } = (await answer.json()) as { theme: { variables: Record<string, string> } };
    expect(theme.variables['--text-color']).toMatch(/^#(7[0-6])\1\1$/);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard keeps a yellow brand and says which colour links have', async () => {
    const event = await book.event({ status: 'active' });
    const { page, problems } = await openDesk(browser, app, `settings/branding?event=${event.slug}`);
    await page.getByLabel('Brand colour', { exact: true }).fill('#ffd600');
    await page.getByText(/Links appear in #[0-9a-f]{6}/).waitFor();
    await check(page, 'branding-links');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
