import { afterEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { DonationBook } from '../support/donations.js';
import { contrastIn, stripedLogo } from '../support/logos.js';
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
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const wrong = await accessibilityProblems(page);
    await takePicture(page, name);
    expect({ name, wrong }).toEqual({ name, wrong: [] });
  };

  it.each(BRANDINGS)('%s leaves the donate page readable in light and dark', async (name, variables) => {
    const event = await book.event({ overrides: { theme: { variables } } });
    const { page, problems } = await openPage(browser);
    await page.goto(`${app.url}/donate/${event.slug}`);
    await page.getByLabel('€50', { exact: true }).check();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await check(page, named(name, `donate-${colorScheme}`));
    }
    expect(problems).toEqual([]);
    await page.context().close();
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

  it.each([
    ['dark', [16, 24, 42]],
    ['white', [255, 255, 255]],
  ] as const)(
    'a %s logo without a background is visible on every page and in every theme',
    async (name, colour) => {
      const { body } = await admin
        .post('/images')
        .set('Content-Type', 'image/png')
        .send(await stripedLogo(colour))
        .expect(201);
      const assets = { logo: (body as { path: string }).path };
      await admin.patch('/settings/global', { theme: { assets } }).expect(200);
      const event = await book.event();
      const found: unknown[] = [];
      const measure = async (page: Page, selector: string, where: string, isLight: boolean) => {
        const logo = page.locator(selector);
        await logo.evaluate(async (image) => {
          await (image as HTMLImageElement).decode();
        });
        await takePicture(page, `logo-${name}-${where}`);
        const contrast = await contrastIn(await logo.screenshot());
        // Without the plate, the measure finds a logo that is hard to see.
        await logo.evaluate((image) => {
          image.style.background = 'transparent';
        });
        const without = await contrastIn(await logo.screenshot());
        if (contrast < 3 || without < 3 !== (isLight === (name === 'white')))
          found.push({ where, contrast, without });
      };
      const { page } = await openPage(browser);
      for (const colorScheme of ['light', 'dark'] as const)
        for (const [where, path] of [
          ['donate', `/donate/${event.slug}`],
          ['unknown', '/no-such-page'],
          ['accessibility', '/accessibility'],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(app.url + path);
          await measure(page, '.brand__logo', `${where}-${colorScheme}`, colorScheme === 'light');
        }
      await page.setViewportSize(SCREENS.hd);
      for (const theme of ['light', 'dark', 'gala'] as const) {
        const { slug } = await book.event({ overrides: { live: { theme } } });
        await page.goto(`${app.url}/wall/${slug}`);
        await measure(page, '.wall__logo', `wall-${theme}`, theme === 'light');
      }
      await page.context().close();
      expect(found).toEqual([]);
      await admin.patch('/settings/global', { theme: { assets: { logo: null } } }).expect(200);
    },
  );

  it.each([
    ['dark', [16, 24, 42]],
    ['coloured', [122, 31, 92]],
    ['white', [255, 255, 255]],
  ] as const)('a %s logo on another host is visible on dark pages and dark walls', async (name, colour) => {
    const picture = await stripedLogo(colour);
    const overrides = { theme: { assets: { logo: 'https://cdn.example/logo.png' } } };
    const { slug } = await book.event({ overrides: { ...overrides, live: { theme: 'dark' } } });
    const { page, problems } = await openPage(browser, { viewport: SCREENS.hd });
    await page.route('https://cdn.example/logo.png', (route) =>
      route.fulfill({ body: picture, contentType: 'image/png' }),
    );
    const found: unknown[] = [];
    for (const [path, selector, colorScheme] of [
      [`/donate/${slug}`, '.brand__logo', 'dark'],
      [`/donate/${slug}`, '.brand__logo', 'light'],
      [`/wall/${slug}`, '.wall__logo', 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(app.url + path);
      const logo = page.locator(selector);
      await logo.evaluate(async (image) => {
        await (image as HTMLImageElement).decode();
      });
      await takePicture(page, `logo-elsewhere-${name}-${selector.slice(1)}-${colorScheme}`);
      const contrast = await contrastIn(await logo.screenshot());
      // Most logos are made for white paper, so the light page changes nothing.
      const filter = await logo.evaluate((image) => getComputedStyle(image).filter);
      if (colorScheme === 'dark' ? contrast < 3 : filter !== 'none') found.push({ path, contrast, filter });
    }
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

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

  it('a new event gets its picture in the dialog, and the donate page shows it', async () => {
    const { page, problems } = await openDesk(browser, app, 'events?new=1');
    const dialog = page.getByRole('dialog', { name: 'New event' });
    await dialog.getByLabel('Event name').fill('Picture night');
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'picture.png',
      mimeType: 'image/png',
      buffer: await stripedLogo([200, 30, 90], 480, 160),
    });
    await dialog.getByRole('button', { name: 'Remove the picture' }).waitFor();
    await check(page, 'new-event-picture');
    await dialog.getByRole('button', { name: 'Create and open' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(
      async () =>
        /story__picture" src="\/images\/[0-9a-f]{64}\.webp"/.test(
          (await app.http.get('/donate/picture-night').set('Accept', 'text/html')).text,
        ),
      'the picture on the donate page',
    );
    expect(problems).toEqual([]);
    await page.context().close();
  });

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
