import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import {
  accessibilityProblems,
  launchBrowser,
  openPage,
  type OpenPage,
  SCREENS,
  takePicture,
} from '../support/browser.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const PAYS = '4242 4242 4242 4242';
/** The charity's website. The service accepts only https addresses. */
const SITE = 'https://www.example.org';
const ADDRESS = 'The Old Boathouse, 1 Quay Street\nBristol\nBS1 4QA\nUnited Kingdom';
const fillAddress = async (page: Page) => {
  await page.getByLabel('House and street').fill('The Old Boathouse, 1 Quay Street');
  await page.getByLabel('Postcode').fill('bs14qa');
  await page.getByLabel('Town or city').fill('Bristol');
};

describeWithChromium('the optional questions of an event, in a browser', (executablePath) => {
  const { app, admin, event } = withEvent({
    start: startPaymentsApp,
    fields: {
      slug: 'lighthouse',
      name: 'A new roof for the lighthouse',
      description:
        'One evening, one roof. Every amount keeps the light on for the boats that come home late.',
      currency: 'gbp',
    },
  });
  const browser = withOpened(() => launchBrowser(executablePath));

  beforeAll(async () => {
    await admin
      .patch(`/events/${event.id}/settings`, {
        organization: 'Harbour Lights Foundation',
        locales: { default: 'en-GB', supported: ['en-GB', 'de', 'fr'] },
        embed: { origins: [SITE] },
        donation: {
          receiptDownload: true,
          presets: [1_000, 2_500, 5_000, 10_000, 25_000, 50_000],
          fields: { address: 'optional', giftAid: true },
          coverFee: { offer: true, basisPoints: 150, fixed: 20 },
        },
      })
      .expect(200);
  });

  const open = async (options: BrowserContextOptions = {}, lang?: string): Promise<OpenPage> => {
    const one = await openPage(browser, options);
    await one.page.goto(`${app.url}/donate/${event.slug}${lang === undefined ? '' : `?lang=${lang}`}`);
    await one.page.locator('#card input').first().waitFor();
    return one;
  };
  const look = async (page: Page, name: string) => {
    await page.evaluate('document.fonts.ready');
    await takePicture(page, `donate-details-${name}`);
    expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };
  /** Takes a picture of a page that is high enough for everything, because a full-page picture shows only a part of a frame. */
  const lookAtSite = async (page: Page, frame: Frame, name: string) => {
    await frame.evaluate('document.fonts.ready');
    // After a navigation, the browser paints a frame a little later than its page.
    await page.waitForTimeout(500);
    await takePicture(page, `donate-${name}`);
    expect({ name, problems: await accessibilityProblems(frame) }).toEqual({ name, problems: [] });
    expect(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };
  const fillCard = async (page: Page | Frame) => {
    await page.getByLabel('Card number').fill(PAYS);
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
  };
  /** Opens a page of a website with the donate page in a frame. The browser treats both as pages of the internet. */
  const visit = async (site: string, options: BrowserContextOptions = {}) => {
    // Without this permission, the browser does not let a page of the internet call this machine.
    const one = await openPage(browser, { permissions: ['local-network-access'], ...options });
    const body = `<!doctype html><html lang="en"><head><title>Harbour Lights</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; font: 1rem/1.5 Georgia, serif }
      iframe { width: 100%; height: 120rem; border: 1px solid #ccc }</style></head>
      <body><h1>Help us mend the roof</h1><p>Our own page, with the form of the donations service in it.</p>
      <iframe title="Give" src="${app.url}/donate/${event.slug}?from=website" allow="payment"></iframe></body></html>`;
    await one.page.route(`${site}/`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await one.page.goto(`${site}/`);
    const frame = await (await one.page.waitForSelector('iframe')).contentFrame();
    if (!frame) throw new Error('The page has no frame');
    return { ...one, frame };
  };
  const latest = async () =>
    (
      await sql<{
        status: string;
        amount: number;
        covered: number;
        gift_aid: boolean;
        donor_address: string;
        source: string | null;
      }>(
        app,
        `SELECT status::text, amount::int, covered_fee::int AS covered, gift_aid, donor_address, source FROM donation
         WHERE event_id = $1 ORDER BY id DESC LIMIT 1`,
        [event.id],
      )
    )[0];

  it.each([
    ['phone', 'light'],
    ['phone', 'dark'],
    ['hd', 'light'],
    ['hd', 'dark'],
  ] as const)(
    'every state of the questions is accessible and fits on a %s screen in %s',
    async (screen, colorScheme) => {
      const at = `${screen}-${colorScheme}`;
      const { page, problems } = await open({ viewport: SCREENS[screen], colorScheme });
      await look(page, `form-${at}`);
      const { height = 0 } = (await page.locator('#give').boundingBox()) ?? {};
      if (screen === 'phone') expect(height).toBeLessThanOrEqual(1_100);
      // Before the donor has chosen an amount, the fee is unknown, so the page shows no amount for it.
      expect(await page.textContent('#coverFee-label')).toContain('Add the payment fee');
      await page.getByLabel('£50', { exact: true }).check();
      await page.getByRole('checkbox', { name: /Add £0.97/ }).check();
      expect(await page.textContent('#coverFee-hint')).toContain('You pay £50.97.');
      expect(await page.textContent('#pay-label')).toBe('Donate £50.97');
      await page.getByText('About you').click();
      await page.getByText('The donation wall shows “Anonymous”.').waitFor();
      await page.getByLabel('Name (optional)').fill('Ada Lovelace');
      await page.getByText('The donation wall shows “Ada Lovelace”.').waitFor();
      await page.getByRole('checkbox', { name: /Gift Aid/ }).check();
      // The page unfolds the section with the error again.
      await page.getByText('About you').click();
      await fillCard(page);
      await page.locator('#pay').click();
      await page.getByText('Please enter your first name for Gift Aid.').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('firstName');
      await look(page, `incomplete-${at}`);
      await page.getByLabel('First name').fill('Ada');
      await page.getByLabel('Surname').fill('Lovelace');
      await page.locator('#pay').click();
      await page.getByText('Please enter house and street.').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('line1');
      await fillAddress(page);
      // The page no longer shows the corrected error.
      expect(await page.locator('.note--bad').isVisible()).toBe(false);
      await look(page, `filled-${at}`);
      await page.locator('#pay').click();
      await page.getByRole('heading', { name: /^Thank you/ }).waitFor();
      await page.getByRole('heading', { name: 'Share this event' }).waitFor();
      await look(page, `thanks-${at}`);
      expect(await latest()).toEqual({
        status: 'COMPLETED',
        amount: 5_097,
        covered: 97,
        gift_aid: true,
        donor_address: ADDRESS,
        source: null,
      });
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('the donate page restores every answer after a reload', async () => {
    const { page } = await open();
    await page.getByLabel('£25', { exact: true }).check();
    await page.getByText('About you').click();
    await fillAddress(page);
    await page.getByRole('checkbox', { name: /Gift Aid/ }).check();
    await page.getByLabel('Surname').fill('Lovelace');
    await page.getByRole('checkbox', { name: /Add £/ }).check();
    await page.reload();
    await page.locator('#card input').first().waitFor();
    expect(await page.getByLabel('House and street').inputValue()).toBe('The Old Boathouse, 1 Quay Street');
    expect(await page.getByLabel('Postcode').inputValue()).toBe('bs14qa');
    expect(await page.getByLabel('Country').inputValue()).toBe('GB');
    expect(await page.getByLabel('Surname').inputValue()).toBe('Lovelace');
    expect(await page.getByRole('checkbox', { name: /Gift Aid/ }).isChecked()).toBe(true);
    expect(await page.textContent('#pay-label')).toBe('Donate £25.59');
    await page.context().close();
  });

  // At double size, the same number of pixels has half the room.
  it.each([
    ['fr', 390, 1],
    ['fr', 1280, 1],
    ['de', 195, 2],
    ['de', 640, 2],
    ['fr', 640, 2],
  ])(
    'the donate page fits in %s at %d pixels of width, enlarged %d times',
    async (lang, width, deviceScaleFactor) => {
      const { page } = await open({ viewport: { width, height: 720 }, deviceScaleFactor }, lang);
      const { height = 0 } = (await page.locator('#give').boundingBox()) ?? {};
      if (width === 390) expect(height).toBeLessThanOrEqual(1_100);
      await page.locator('.amount').nth(2).click();
      await page.locator('[name=coverFee]').check();
      await page.locator('#about summary').click();
      await page.locator('[name=giftAid]').check();
      await look(page, `${lang}-${width}`);
      expect(await page.locator('html').getAttribute('lang')).toBe(lang);
      await page.context().close();
    },
  );

  it.each([
    ['phone', 'light'],
    ['hd', 'dark'],
  ] as const)(
    "a donor pays by card in a frame of the charity's website: %s, %s",
    async (screen, colorScheme) => {
      const at = `${screen}-${colorScheme}`;
      const viewport = { ...SCREENS[screen], height: 2_200 };
      const { page, frame, problems } = await visit(SITE, { viewport, colorScheme });
      await frame.getByLabel('Card number').waitFor();
      await frame.getByLabel('£10', { exact: true }).check();
      await fillCard(frame);
      await lookAtSite(page, frame, `embed-${at}`);
      await frame.locator('#pay').click();
      await frame.getByRole('heading', { name: /^Thank you/ }).waitFor();
      expect(page.url()).toBe(`${SITE}/`);
      await lookAtSite(page, frame, `embed-thanks-${at}`);
      expect(await latest()).toMatchObject({ status: 'COMPLETED', amount: 1_000, source: 'website' });
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it("a PayPal payment leaves the frame for PayPal's page and returns to the full donate page", async () => {
    const { page, frame, problems } = await visit(SITE, { viewport: SCREENS.hd });
    await frame.getByLabel('Card number').waitFor();
    await frame.getByLabel('£100', { exact: true }).check();
    await frame.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await page.getByRole('heading', { name: /^Thank you/ }).waitFor();
    expect(page.url()).toContain(`/donate/${event.slug}/thanks?donation=`);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['phone', 'light'],
    ['hd', 'dark'],
  ] as const)(
    'the picture of the event and the lines next to the amounts fit on a %s screen in %s',
    async (screen, colorScheme) => {
      const file = await sharp({ create: { width: 1_600, height: 900, channels: 3, background: '#2c5f8a' } })
        .png()
        .toBuffer();
      const { body: image } = await admin.post('/images').set('Content-Type', 'image/png').send(file);
      const presetLines = {
        1_000: 'one lamp',
        2_500: 'a box of nails and paint for one window, bought in Bristol',
      };
      const change = (theme: object | null, donation: object) =>
        admin.patch(`/events/${event.id}/settings`, { theme, donation }).expect(200);
      const { path } = image as { path: string };
      const monthlyUrl = `${SITE}/monthly`;
      await change({ assets: { picture: path } }, { presetLines, monthlyUrl });
      const { page, problems } = await open({ viewport: SCREENS[screen], colorScheme });
      await page.getByLabel('£10 one lamp').check();
      expect(await page.evaluate('document.querySelector(".story__picture").naturalWidth')).toBe(1_600);
      await look(page, `content-${screen}-${colorScheme}`);
      await fillCard(page);
      await page.locator('#pay').click();
      await page.getByRole('link', { name: 'Continue at www.example.org' }).waitFor();
      await look(page, `content-thanks-${screen}-${colorScheme}`);
      expect(problems).toEqual([]);
      await page.context().close();
      await change(null, { presetLines: null, monthlyUrl: null });
    },
  );

  it('a website that the settings do not name cannot frame the donate page', async () => {
    const { page, frame, problems } = await visit('https://elsewhere.example');
    await expect(frame.getByLabel('Card number').waitFor({ timeout: 1_500 })).rejects.toThrow();
    expect(problems).toEqual([expect.stringMatching(/frame-ancestors/)]);
    await page.context().close();
  });
});
