import { beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { startCharitySite } from '../support/charity-site.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium, describeWithTool } from '../support/tools.js';
import { until } from '../support/until.js';

const BUDGET_BYTES = 4 * 1024;
const CARDS = { pays: '4242 4242 4242 4242', asks: '4000 0027 6000 3184' } as const;

const { app, admin, event } = withEvent({
  start: startPaymentsApp,
  fields: {
    slug: 'lighthouse',
    name: 'A new roof for the lighthouse',
    currency: 'gbp',
    goalAmount: 1_000_000,
  },
});
/** A listed website for the tests without a browser. */
const LISTED = 'https://www.charity.example';

const settings = (body: object) => admin.patch(`/events/${event.id}/settings`, body).expect(200);
const list = (...origins: string[]) => settings({ embed: { origins } });
const give = (amount: number) =>
  admin.post('/donations', { eventId: event.id, amount, type: 'cash' }).expect(201);

beforeAll(async () => {
  await settings({
    organization: 'Harbour Lights Foundation',
    locales: { default: 'en-GB', supported: ['en-GB', 'de', 'fr', 'es', 'it', 'nl'] },
    theme: { variables: { '--brand-color': '#8a1c4a' } },
  });
  await list(LISTED);
});

describe('GET /embed.js', () => {
  it('the script has at most 4 KB, also before compression', async () => {
    const { text } = await app.http.get('/embed.js').expect(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('browsers keep the script at its stable address for an hour and ask for a newer one', async () => {
    const { headers } = await app.http.get('/embed.js').expect(200);
    expect(headers['cache-control']).toBe('public, max-age=3600, stale-while-revalidate=604800');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    const { etag = '' } = headers;
    const again = await app.http.get('/embed.js').set('If-None-Match', etag).expect(304);
    expect(again.text).toBe('');
  });
});

describe('GET /embed/:slug', () => {
  it('returns the total, the goal, the colours and the texts in the requested language', async () => {
    const read = async (lang: string) =>
      (await app.http.get(`/embed/${event.slug}?lang=${lang}`).expect(200)).body as {
        texts: Record<string, string>;
      };
    expect(await read('en')).toEqual({
      address: `${app.url}/donate/lighthouse`,
      locale: 'en-GB',
      currency: 'gbp',
      totalRaised: 0,
      goalAmount: 1_000_000,
      percent: 0,
      brand: '#8a1c4a',
      onBrand: '#ffffff',
      texts: {
        give: 'Donate',
        title: 'Donate to A new roof for the lighthouse',
        amount: 'Goal: £10,000',
        rest: 'Be the first to donate.',
        percent: '0%',
        progress: '0% of the goal',
        close: 'Close',
        newTab: 'Open in a new tab',
      },
    });
    const { texts } = await read('de');
    expect(texts).toMatchObject({ give: 'Spenden', close: 'Schließen', amount: 'Ziel: 10.000\u00a0£' });
    for (const lang of ['fr', 'es', 'it', 'nl']) expect((await read(lang)).texts.close).not.toBe('Close');
  });

  it('only pages of listed websites may read the answer', async () => {
    const allowed = async (origin: string) => {
      const { headers } = await app.http.get(`/embed/${event.slug}`).set('Origin', origin).expect(200);
      expect(headers.vary).toContain('Origin');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      return headers['access-control-allow-origin'];
    };
    expect(await allowed(LISTED)).toBe(LISTED);
    for (const origin of ['https://evil.example', 'null', `${LISTED}.evil.example`])
      expect(await allowed(origin)).toBeUndefined();
    const other = await app.http.get('/events/lighthouse').set('Origin', LISTED).expect(200);
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['draft', 'archived'])('a %s event answers 404', async (status) => {
    const [row] = await sql<{ slug: string }>(
      app,
      `INSERT INTO event (id, slug, name, goal_amount, currency, status)
       VALUES (gen_random_uuid(), 'hidden-${status}', 'Hidden', 1, 'eur', '${status}') RETURNING slug`,
    );
    await app.http.get(`/embed/${row?.slug ?? ''}`).expect(404);
  });
});

const inBrowser = (executablePath: string) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const site = withOpened(() => startCharitySite());
  beforeAll(() => list(site.origin));

  const snippet = (kind: string, query = '?lang=en&from=website') =>
    `<p><a href="${app.url}/donate/${event.slug}${query}" data-donate="${kind}">Donate</a></p>
     <script async src="${app.url}/embed.js"></script>`;
  /** Styles of the website that must not change the elements of the script. */
  const rude = `<style>
    body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; font: 1rem/1.5 Georgia, serif }
    div { display: none !important; color: red !important } .page { display: block !important; color: inherit !important }
    button, iframe, p { float: left; text-transform: uppercase; width: 40px !important; height: 9px !important }
    .page p { float: none; text-transform: none; width: auto !important; height: auto !important }</style>`;
  const visit = async (body: string, options: BrowserContextOptions = {}, policy?: string) => {
    site.show(
      `${rude}<div class="page"><h1>Help us mend the roof</h1><p>Our own page.</p>${body}</div>`,
      policy,
    );
    const one = await openPage(browser, { ignoreHTTPSErrors: true, ...options });
    // Without this permission, the browser does not let a page of the internet call this machine.
    await one.page.context().grantPermissions(['local-network-access']);
    await one.page.goto(`${site.origin}/`);
    return one;
  };
  const frameIn = async (page: Page): Promise<Frame> => {
    await until(() => page.frames().some((frame) => frame.url().startsWith(`${app.url}/donate/`)));
    const frame = page.frames().find((one) => one.url().startsWith(`${app.url}/donate/`));
    if (!frame) throw new Error('The page has no frame');
    await frame.getByLabel('Card number').waitFor();
    return frame;
  };
  const pay = async (frame: Frame, card: string) => {
    await frame.getByLabel('£10', { exact: true }).check();
    await frame.getByLabel('Card number').fill(card);
    await frame.getByLabel('Expiration date').fill('12 / 34');
    await frame.getByLabel('Security code').fill('123');
    await frame.locator('#pay').click();
  };
  const latest = async () =>
    (
      await sql<{ status: string; amount: string; source: string | null }>(
        app,
        'SELECT status::text, amount::text, source FROM donation WHERE event_id = $1 ORDER BY id DESC LIMIT 1',
        [event.id],
      )
    )[0];
  const heightOf = async (page: Page) => (await page.locator('iframe').boundingBox())?.height ?? 0;
  const follows = (page: Page, frame: Frame) =>
    until(async () => {
      const inner = await frame.evaluate<number>('document.documentElement.scrollHeight');
      const body = await frame.evaluate<number>('document.body.getBoundingClientRect().height');
      const outer = await heightOf(page);
      return outer > 100 && Math.abs(outer - body) <= 1 && inner <= outer + 1;
    });

  it.each([
    ['phone', 'light'],
    ['hd', 'light'],
    ['hd', 'dark'],
  ] as const)(
    'the form has the height of its content, and a donation is paid in it: %s, %s',
    async (screen, colorScheme) => {
      const { page, problems } = await visit(snippet('form'), { viewport: SCREENS[screen], colorScheme });
      const frame = await frameIn(page);
      await follows(page, frame);
      expect(await page.getByRole('link', { name: 'Donate' }).isVisible()).toBe(false);
      expect(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const before = await heightOf(page);
      await frame.getByText('About you').click();
      await until(async () => (await heightOf(page)) > before + 100);
      await follows(page, frame);
      await frame.getByText('About you').click();
      await until(async () => (await heightOf(page)) < before + 20);
      await takePicture(page, `embed-form-${screen}-${colorScheme}`);
      // The website does not say that it can be dark, so the form is light for everybody.
      const theme = () => frame.evaluate('document.documentElement.dataset.theme');
      expect(await theme()).toBe('light');
      expect(await accessibilityProblems(page)).toEqual([]);
      await pay(frame, CARDS.pays);
      await frame.getByRole('heading', { name: /^Thank you/ }).waitFor();
      await follows(page, frame);
      expect(await theme()).toBe('light');
      // The start of the thank-you page is visible, although the button was at the end of the long form.
      await until(async () => ((await page.locator('iframe').boundingBox())?.y ?? -1) >= -1);
      await takePicture(page, `embed-thanks-${screen}-${colorScheme}`);
      expect(page.url()).toBe(`${site.origin}/`);
      expect(await latest()).toMatchObject({ status: 'COMPLETED', amount: '1000', source: 'website' });
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('a payment with 3-D Secure returns to the frame, in the language of the link', async () => {
    const dark = '<style>:root { color-scheme: light dark }</style>';
    const { page, problems } = await visit(dark + snippet('form', '?lang=de'), { colorScheme: 'dark' });
    await until(() => page.frames().some((one) => one.url().startsWith(`${app.url}/donate/`)));
    const frame = page.frames().find((one) => one.url().startsWith(`${app.url}/donate/`));
    if (!frame) throw new Error('The page has no frame');
    await frame.getByLabel('Card number').waitFor();
    // This website can be dark, so the form follows the device.
    expect(await frame.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await frame.getByLabel('10 £', { exact: true }).check();
    await frame.getByLabel('Card number').fill(CARDS.asks);
    await frame.getByLabel('Expiration date').fill('12 / 34');
    await frame.getByLabel('Security code').fill('123');
    await frame.locator('#pay').click();
    await frame
      .frameLocator('iframe[title="3-D Secure"]')
      .getByRole('button', { name: 'Authorize the payment' })
      .click();
    await frame.getByRole('heading', { name: /^Vielen Dank/ }).waitFor();
    expect(page.url()).toBe(`${site.origin}/`);
    expect(await latest()).toMatchObject({ status: 'COMPLETED', amount: '1000' });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("a payment method with a bank's own page continues on the whole donate page, with all answers", async () => {
    const { page, problems } = await visit('', { viewport: SCREENS.phone });
    // The stand-in for Stripe's script has only cards. It reports them here as another method.
    await page.route(`${app.sandbox.url}/stripe.js`, async (route) => {
      const response = await route.fetch();
      const script = (await response.text()).replace("value: { type: 'card' }", "value: { type: 'ideal' }");
      await route.fulfill({ response, body: script });
    });
    site.show(snippet('form', '?lang=en&from=website'));
    await page.reload();
    const frame = await frameIn(page);
    await frame.getByText('About you').click();
    await frame.getByLabel('Name (optional)').fill('Ada "Countess" Lovelace');
    await pay(frame, CARDS.pays);
    await page.waitForURL(`${app.url}/donate/lighthouse?lang=en&from=website`);
    await page.getByText('Your bank cannot be shown inside the other website.').waitFor();
    expect(await page.getByRole('button', { name: /again/ }).isVisible()).toBe(false);
    expect(await page.getByLabel('£10', { exact: true }).isChecked()).toBe(true);
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Ada "Countess" Lovelace');
    await takePicture(page, 'embed-outside-phone');
    expect(await accessibilityProblems(page)).toEqual([]);
    await pay(page.mainFrame(), CARDS.pays);
    await page.getByRole('heading', { name: /^Thank you/ }).waitFor();
    expect(await latest()).toMatchObject({ status: 'COMPLETED', amount: '1000', source: 'website' });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a link of another website cannot fill in the form', async () => {
    const draft = encodeURIComponent(JSON.stringify({ preset: '', amount: '5000', name: 'Somebody' }));
    const { page } = await visit(`<a href="${app.url}/donate/lighthouse#give=${draft}">Give</a>`);
    await page.getByRole('link', { name: 'Give' }).click();
    await page.waitForURL(`${app.url}/donate/lighthouse`);
    await page.locator('#card input').first().waitFor();
    expect(await page.locator('#amount').inputValue()).toBe('');
    await page.context().close();
  });

  it.each(['phone', 'hd'] as const)(
    'the button opens the form in a dialog that keeps the focus: %s',
    async (screen) => {
      const { page, problems } = await visit(snippet('button'), { viewport: SCREENS[screen] });
      const button = page.getByRole('button', { name: 'Donate', exact: true });
      await button.waitFor();
      expect(await page.getByRole('link', { name: 'Donate' }).isVisible()).toBe(false);
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      expect(
        await button.evaluate(
          'getComputedStyle(document.querySelector("[lang] + *") ?? document.body).color',
        ),
      ).toBeDefined();
      await takePicture(page, `embed-button-${screen}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await button.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Donate to A new roof for the lighthouse' });
      await dialog.waitFor();
      const frame = await frameIn(page);
      await takePicture(page, `embed-dialog-${screen}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      // The rest of the website cannot get the focus while the dialog is open.
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press('Tab');
        expect(
          await page.evaluate(
            'document.activeElement === document.body || document.activeElement.shadowRoot !== null',
          ),
        ).toBe(true);
      }
      // Escape in the frame closes the dialog too.
      await frame.getByLabel('Another amount').focus();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await button.click();
      await pay(frame, CARDS.pays);
      await frame.getByRole('heading', { name: /^Thank you/ }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await latest()).toMatchObject({ status: 'COMPLETED', amount: '1000', source: 'website' });
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it.each(['phone', 'hd'] as const)('the goal bar shows the total and updates it: %s', async (screen) => {
    await give(200_000);
    const context = { viewport: SCREENS[screen] };
    site.show('');
    const { page, problems } = await openPage(browser, { ignoreHTTPSErrors: true, ...context });
    await page.clock.install();
    site.show(`${rude}<div class="page"><h1>Help us mend the roof</h1>${snippet('bar')}</div>`);
    await page.goto(`${site.origin}/`);
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().includes('/embed/'))));
    await page.clock.runFor(20_000);
    expect(asked).toBe(0);
    const value = async () => Number(await bar.getAttribute('aria-valuenow'));
    const before = await value();
    expect(await bar.getAttribute('aria-label')).toBe(`${String(before)}% of the goal`);
    expect(await page.getByText(/raised of £10,000/).isVisible()).toBe(true);
    expect(await page.getByText(`${String(before)}%`, { exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'Donate' }).isVisible()).toBe(true);
    await takePicture(page, `embed-bar-${screen}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await give(100_000);
    await page.clock.runFor(11_000);
    await until(() => asked === 1);
    // A server whose database is busy shows the total of a moment ago, so a later answer has the new one.
    await until(async () => {
      const { body } = await app.http.get(`/embed/${event.slug}`).expect(200);
      const now = await value();
      if (now >= before + 10 && now === (body as { percent: number }).percent) return true;
      await page.clock.runFor(31_000);
      return false;
    });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a website that is not listed shows the plain link and no frame', async () => {
    await list('https://www.example.org');
    for (const kind of ['button', 'bar', 'form']) {
      const { page } = await visit(snippet(kind));
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('link', { name: 'Donate' }).isVisible()).toBe(true);
      expect(await page.locator('iframe, button, [role=progressbar]').count()).toBe(0);
      await page.getByRole('link', { name: 'Donate' }).click();
      await page.waitForURL(`${app.url}/donate/lighthouse**`);
      await page.context().close();
    }
    await list(site.origin);
  });

  it.each([
    ['the script does not load', '**/embed.js'],
    ['the service does not answer', '**/embed/*'],
    ['the form does not load', '**/donate/**'],
  ])('the plain link stays if %s', async (_, address) => {
    site.show(snippet('form'));
    const { page } = await openPage(browser, { ignoreHTTPSErrors: true });
    await page.route(address, (route) => route.abort());
    await page.goto(`${site.origin}/`);
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Donate' }).isVisible()).toBe(true);
    expect((await page.locator('iframe').count()) === 0 || (await heightOf(page)) === 0).toBe(true);
    await page.context().close();
  });

  it('a browser without dialogs and shared style sheets, such as Safari 15.3, shows the link, the bar and the form', async () => {
    site.show(snippet('button') + snippet('bar') + snippet('form'));
    const { page, problems } = await openPage(browser, {
      ignoreHTTPSErrors: true,
      // Only in the website: the stand-in for Stripe's script, in the frame, needs a newer browser.
      initScript: `if (top === window) {
        delete window.HTMLDialogElement;
        delete CSSStyleSheet.prototype.replaceSync;
        delete ShadowRoot.prototype.adoptedStyleSheets;
      }`,
    });
    await page.goto(`${site.origin}/`);
    await follows(page, await frameIn(page));
    const bar = page.getByRole('progressbar');
    const color = () => bar.locator('div').evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(await color()).toBe('rgb(138, 28, 74)');
    // The link of the button and that of the bar.
    expect(await page.getByRole('link', { name: 'Donate' }).count()).toBe(2);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('under a strict content policy, the script needs the service only as a source of script, connect and frame', async () => {
    const policy = `default-src 'none'; img-src data:; script-src ${app.url}; connect-src ${app.url}; frame-src ${app.url}`;
    site.show(snippet('button') + snippet('bar') + snippet('form'), policy);
    const { page, problems } = await openPage(browser, { ignoreHTTPSErrors: true });
    await page.goto(`${site.origin}/`);
    await follows(page, await frameIn(page));
    await page.getByRole('progressbar').waitFor();
    const button = page.getByRole('button', { name: 'Donate', exact: true });
    expect(await button.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgb(138, 28, 74)');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the page in the frame accepts messages only from a listed website, and the website only from the service', async () => {
    const { page } = await visit(snippet('form'));
    const frame = await frameIn(page);
    await follows(page, frame);
    const before = await heightOf(page);
    // A message of the website itself, and of another frame, is not from the service.
    await page.evaluate("postMessage({ donate: 'height', height: 9000 }, '*')");
    await page.evaluate(`new Promise((done) => {
      const other = document.createElement('iframe');
      other.srcdoc = '<script>parent.postMessage({ donate: "height", height: 9000 }, "*")</' + 'script>';
      other.onload = () => setTimeout(done, 200);
      document.querySelector('.page').append(other);
    })`);
    expect(await page.getByTitle('Donate to').boundingBox()).toMatchObject({ height: before });
    await page.context().close();
    // In a frame of another site, the page sends no messages. Normally the policy of the page also refuses
    // this frame.
    await list(site.origin);
    const stranger = await openPage(browser, { ignoreHTTPSErrors: true });
    await stranger.page.route('https://elsewhere.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${app.url}/donate/${event.slug}"></iframe>`,
      }),
    );
    await stranger.page.context().grantPermissions(['local-network-access']);
    await stranger.page.route(`${app.url}/donate/**`, async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers() };
      delete headers['content-security-policy'];
      delete headers['x-frame-options'];
      await route.fulfill({ response, headers });
    });
    await stranger.page.goto('https://elsewhere.example/');
    await stranger.page.frameLocator('iframe').locator('#amount').waitFor();
    const heard = await stranger.page.evaluate(`new Promise((done) => {
      addEventListener('message', ({ data }) => done(data));
      frames[0].postMessage({ donate: 'hello' }, '*');
      setTimeout(() => done('silence'), 700);
    })`);
    expect(heard).toBe('silence');
    await stranger.page.context().close();
  });
};

// The certificate of the website comes from OpenSSL.
describeWithTool('openssl', 'the website of a charity', () =>
  describeWithChromium('in a browser', inBrowser),
);
