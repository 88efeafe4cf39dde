import { afterEach, describe, expect, it } from '@jest/globals';
import { launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { DonationBook } from '../support/donations.js';
import { sql } from '../support/fixtures.js';
import {
  elementsTooWide,
  removeStyles,
  STYLES_2020,
  STYLES_2021,
  STYLES_2022,
} from '../support/older-styles.js';
import { startPaymentsApp } from '../support/payments.js';
import { allSent, record, Tills } from '../support/pos.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { openWall } from '../support/wall-page.js';

/** Returns a script that removes features which an older browser lacks: names of properties by the object that has them. */
const without = (features: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(features)
    .map(
      ([owner, names]) =>
        `try { for (const name of ${JSON.stringify(names)}) delete ${owner}[name]; } catch {}`,
    )
    .join('\n');

/** Features that Chrome 103, Firefox 102 and Safari 16 do not have. */
const NEWER = {
  AbortSignal: ['any'],
  'Array.prototype': ['findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with'],
  'String.prototype': ['isWellFormed', 'toWellFormed'],
  Object: ['groupBy'],
  Array: ['fromAsync'],
  Promise: ['withResolvers'],
  Intl: ['Segmenter', 'DurationFormat'],
  'Set.prototype': ['union', 'intersection', 'difference'],
  'HTMLElement.prototype': ['showPopover', 'hidePopover', 'togglePopover', 'popover'],
  'Element.prototype': ['checkVisibility', 'setHTML'],
};
/** Features that Chrome 87, Firefox 90 and Safari 15.0 do not have. */
const MUCH_NEWER = {
  ...NEWER,
  AbortSignal: ['any', 'timeout', 'abort'],
  'Array.prototype': [...NEWER['Array.prototype'], 'at'],
  'String.prototype': [...NEWER['String.prototype'], 'at'],
  Object: ['groupBy', 'hasOwn'],
  globalThis: ['structuredClone', 'BroadcastChannel', 'requestIdleCallback'],
  'Crypto.prototype': ['randomUUID'],
  'Navigator.prototype': ['locks', 'storage', 'wakeLock'],
  'HTMLDialogElement.prototype': ['showModal', 'show', 'close'],
  'HTMLElement.prototype': [...NEWER['HTMLElement.prototype'], 'inert'],
  'Document.prototype': ['fullscreenEnabled', 'fullscreenElement', 'exitFullscreen'],
  'Element.prototype': [...NEWER['Element.prototype'], 'requestFullscreen'],
};

describeWithChromium('a browser of 2021', (executablePath) => {
  const app = withService(startPaymentsApp);
  const admin = withAdmin(app);
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const initScript = without(MUCH_NEWER);

  it('the simulated older browser lacks the removed features', async () => {
    const { page } = await openPage(browser, { initScript });
    await page.goto(`${app.url}/robots.txt`);
    expect(
      await page.evaluate(
        `[AbortSignal.timeout, [].at, Object.hasOwn, navigator.locks, navigator.storage, crypto.randomUUID].every((one) => one === undefined)`,
      ),
    ).toBe(true);
    await page.context().close();
  });

  it('pays by card on the donate page', async () => {
    const event = await book.event();
    const { page, problems } = await openPage(browser, { initScript });
    await page.goto(`${app.url}/donate/${event.slug}`);
    await page.getByLabel('Card number').waitFor();
    expect(await removeStyles(page, STYLES_2021)).toBeGreaterThan(5);
    await page.getByLabel('€50', { exact: true }).focus();
    expect(
      await page
        .locator('.amount__box')
        .evaluateAll((boxes) => boxes.map((box) => getComputedStyle(box).outlineStyle)),
    ).toContain('solid');
    await page.getByLabel('€50', { exact: true }).check();
    expect(await elementsTooWide(page)).toEqual([]);
    await page.locator('#pay').scrollIntoViewIfNeeded();
    await takePicture(page, 'older-donate');
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
    await page.locator('#pay').click();
    await page.getByRole('heading', { name: /^Thank you/ }).waitFor();
    expect(problems).toEqual([]);
    expect(await sql(app, 'SELECT status FROM donation WHERE event_id = $1', [event.id])).toEqual([
      { status: 'COMPLETED' },
    ]);
    await page.context().close();
  });

  it('celebrates the goal on the wall', async () => {
    const event = await book.event({ goal_amount: 60_000 });
    const { page, problems } = await openWall(browser, `${app.url}/wall/${event.slug}`, { initScript });
    expect(await removeStyles(page, STYLES_2020)).toBeGreaterThan(5);
    await page.keyboard.press('q');
    const code = await page.locator('#scene-code svg').boundingBox();
    expect(code?.width).toBeGreaterThan(300);
    expect(code?.height).toBeCloseTo(code?.width ?? 0, 0);
    await takePicture(page, 'older-wall-code');
    await page.keyboard.press('q');
    await takePicture(page, 'older-wall');
    await page.keyboard.press('f');
    await book.give(event.id, { amount: 70_000 });
    await page.waitForSelector('#celebration:visible >> text=We reached our goal!', { timeout: 20_000 });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  describe('at the till', () => {
    let tills: Tills | undefined;

    afterEach(async () => {
      expect(await tills?.close()).toEqual([]);
    });

    it('signs in, confirms a large amount in a dialog that keeps the focus, and records it once', async () => {
      tills = new Tills(app, admin.token, browser);
      const page = await tills.begin({
        donation: { confirmOfflineAbove: 10_000 },
        options: { initScript },
      });
      expect(await removeStyles(page, STYLES_2021)).toBeGreaterThan(5);
      expect(await elementsTooWide(page)).toEqual([]);
      for (const digit of '250') await page.keyboard.press(`Digit${digit}`);
      await page.click('.kind:has(input[value="cash"])');
      await page.click('.button--record');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await takePicture(page, 'older-till-dialog');
      const { width, height } = SCREENS.phone;
      const box = await dialog.boundingBox();
      expect(box).toMatchObject({ x: expect.closeTo((width - (box?.width ?? 0)) / 2, 0) });
      expect(box).toMatchObject({ y: expect.closeTo((height - (box?.height ?? 0)) / 2, 0) });
      expect(box?.height).toBeLessThan(height / 2);
      await page.focus('.nav__item');
      expect(await page.evaluate(`document.activeElement.closest('dialog') !== null`)).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.click('.button--record');
      await dialog.getByRole('button', { name: 'Yes, record' }).click();
      // The till ignores digits until the dialog is closed and the record is saved.
      await page.waitForSelector('.last[data-amount="25000"]');
      await dialog.waitFor({ state: 'detached' });
      await allSent(page);
      await record(page, '5', 'cash');
      await allSent(page);
      expect(await tills.amounts()).toEqual([25_000, 500]);
    });

    it('reports a fault of the page, and not a lost network, when the script of the page fails', async () => {
      tills = new Tills(app, admin.token, browser);
      await tills.prepare();
      const page = await tills.visit({
        initScript: `globalThis.Request = class { constructor() { throw new TypeError('broken on purpose'); } };`,
      });
      await page.fill('.pin__input', tills.maria.code);
      await page.keyboard.press('Enter');
      await page
        .getByRole('alert')
        .filter({ hasText: 'Something went wrong on this page. Reload it' })
        .waitFor();
    });
  });
});

describeWithChromium('a browser of 2019', (executablePath) => {
  const app = withService(startPaymentsApp);
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const initScript = `const supports = CSS.supports.bind(CSS);
    CSS.supports = (...asked) => !['aspect-ratio', 'inset'].includes(asked[0]) && supports(...asked);
    delete AbortSignal.timeout;`;
  const STOPPED = 'This browser is too old for this page';

  it.each([
    ['admin', 'This browser is too old for the dashboard.', 'Safari 16, Chrome 103, Firefox 102.'],
    [
      'pos',
      'This browser is too old for the till.',
      'Safari 15, Chrome 90, Firefox 90, Samsung Internet 15.',
    ],
    ['wall', 'This browser is too old for the wall.', 'Safari 15, Chrome 87, Firefox 90.'],
  ])(
    'says on the page %s that the browser is too old, and shows no other error',
    async (path, text, browsers) => {
      const { slug } = await book.event();
      const { page, problems } = await openPage(browser, { initScript });
      await page.goto(`${app.url}/${path}${path === 'wall' ? `/${slug}` : ''}`);
      await page.getByText(text).waitFor();
      expect(await page.locator('#old-browser').innerText()).toContain(
        `Oldest browsers that work: ${browsers}`,
      );
      expect(await elementsTooWide(page)).toEqual([]);
      await page.getByText('Starting').waitFor({ state: 'hidden' });
      await takePicture(page, `too-old-${path}`);
      expect(problems).toEqual([STOPPED]);
      await page.context().close();
    },
  );

  it('pays with PayPal on the donate page, and the page explains why it offers no card payment', async () => {
    const event = await book.event();
    const { page, problems } = await openPage(browser, { initScript });
    await page.goto(`${app.url}/donate/${event.slug}`);
    await page.getByLabel('€50', { exact: true }).check();
    await page
      .getByText('This browser is too old for card payments. The button below works in it.')
      .waitFor();
    await takePicture(page, 'too-old-donate');
    await page.getByRole('button', { name: 'PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await page.waitForURL(/thanks/);
    expect(await sql(app, 'SELECT status FROM donation WHERE event_id = $1', [event.id])).toEqual([
      { status: 'COMPLETED' },
    ]);
    expect(problems.filter((problem) => problem !== STOPPED)).toEqual([]);
    await page.context().close();
  });
});

describeWithChromium('a browser of 2022', (executablePath) => {
  const app = withService(startPaymentsApp);
  const browser = withOpened(() => launchBrowser(executablePath));

  it('signs in to the dashboard and shows its lists', async () => {
    const { page, problems } = await openDesk(browser, app, 'donations', {
      initScript: without(NEWER),
      viewport: SCREENS.hd,
    });
    await page.getByRole('heading', { level: 1, name: 'Donations' }).waitFor();
    expect(await removeStyles(page, STYLES_2022)).toBeGreaterThan(0);
    expect(await elementsTooWide(page)).toEqual([]);
    await takePicture(page, 'older-dashboard');
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
