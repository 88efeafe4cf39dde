import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { oldBrowserCheck } from '../../src/pages/old-browser.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { type EventFixture, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const CARDS = {
  pays: '4242 4242 4242 4242',
  declines: '4000 0000 0000 0002',
  asks: '4000 0027 6000 3184',
  processes: '4000 0000 0000 1000',
} as const;
const BUDGET_BYTES = 20 * 1024;

const app = withService(startPaymentsApp);
const book = new DonationBook(app);
const admin = withAdmin(app);

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Harbour Lights Foundation',
      locales: { default: 'en', supported: ['en', 'de', 'fr', 'es', 'it', 'nl'] },
      donation: { receiptDownload: true },
    })
    .expect(200);
});

interface Row {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly donor_name: string | null;
  readonly is_anonymous: boolean;
  readonly type: string;
  readonly payment_id: string;
}

const event = (fields: Record<string, unknown> = {}): Promise<EventFixture> =>
  book.event({
    name: 'A new roof for the lighthouse',
    description: 'One evening, one roof. Every amount keeps the light on for the boats that come home late.',
    goal_amount: 2_500_000,
    ...fields,
  }) as unknown as Promise<EventFixture>;

const donations = ({ id }: EventFixture): Promise<Row[]> =>
  sql<Row>(
    app,
    'SELECT id, status, amount, donor_name, is_anonymous, type, payment_id FROM donation WHERE event_id = $1 ORDER BY id',
    [id],
  );

/** Returns the checkout id that the page sent for each donation, in order of creation. */
const checkouts = async ({ id }: EventFixture): Promise<(string | undefined)[]> => {
  const rows = await sql<{ key: string | undefined }>(
    app,
    'SELECT c.key FROM donation d LEFT JOIN checkout c ON c.donation_id = d.id WHERE d.event_id = $1 ORDER BY d.id',
    [id],
  );
  return rows.map(({ key }) => key);
};

const setStatus = ({ id }: EventFixture, status: string) =>
  admin.patch(`/events/${id}`, { status }).expect(200);

describe('GET /donate/:slug', () => {
  it('the donate page works without a script: amounts, fields and payment by redirect, without a preselected amount', async () => {
    const { slug } = await event();
    const { text, headers } = await app.http.get(`/donate/${slug}`).expect(200);
    expect(text).toContain('€25');
    expect(text).toContain('name="provider"');
    expect(text).toContain('Donate with PayPal');
    expect(text).toContain('Card payments need JavaScript');
    expect(text).not.toMatch(/<input[^>]*\schecked/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('only the donate page may load the script of the provider, and its policy has no exceptions', async () => {
    const { slug } = await event();
    const policy = async (path: string) => {
      const { headers } = await app.http.get(path);
      return String(headers['content-security-policy']);
    };
    expect(await policy(`/donate/${slug}`)).toContain(
      `script-src 'self' ${oldBrowserCheck('donate')?.source} ${app.sandbox.url};`,
    );
    expect(await policy(`/donate/${slug}`)).not.toMatch(/unsafe|nonce-[^']*' \*/);
    for (const path of ['/', `/donate/${slug}/thanks`, '/donate/no-such-event'])
      expect(await policy(path)).not.toContain(app.sandbox.url);
  });

  it('the donate page preselects an amount only if the event settings say so', async () => {
    const { id, slug } = await event();
    await admin.patch(`/events/${id}/settings`, { donation: { preselected: 5000 } }).expect(200);
    const { text } = await app.http.get(`/donate/${slug}`).expect(200);
    expect(text.match(/value="\d+"\s+checked/g)).toEqual([expect.stringContaining('5000')]);
  });

  it.each([
    ['paused', 200, 'Donations are paused'],
    ['closed', 200, 'this event is over'],
    ['draft', 404, 'Event not found'],
    ['archived', 404, 'This event is over'],
  ])('the donate page explains that the event is %s', async (status, code, words) => {
    const { slug } = await event({ status, name: 'Night of boats' });
    const { text } = await app.http.get(`/donate/${slug}`).expect(code);
    expect(text).toContain(words);
    expect(text).not.toContain('<form');
    if (code === 404) expect(text).not.toContain('Night of boats');
  });

  it('the page of a paused event checks the status regularly, and shows the form when the event continues', async () => {
    const paused = await event({ status: 'paused' });
    const { headers, text } = await app.http.get(`/donate/${paused.slug}`).expect(200);
    expect(text).toContain('opens the form by itself');
    expect(Number(headers['refresh'])).toBeGreaterThanOrEqual(15);
    await setStatus(paused, 'active');
    const opened = await app.http.get(`/donate/${paused.slug}`).expect(200);
    expect(opened.headers['refresh']).toBeUndefined();
    expect(opened.text).toContain('<form');
  });

  it('the donate page has its own words for no donation yet and for a passed goal', async () => {
    const gala = await event();
    const { text } = await app.http.get(`/donate/${gala.slug}`).expect(200);
    expect(text).toContain('Be the first to donate.');
    expect(text).toContain('Goal: €25,000');
    expect(text).not.toMatch(/€0|0 donors/);
    await book.give(gala.id, { amount: 2_600_000 });
    await until(async () => {
      const passed = await app.http.get(`/donate/${gala.slug}`).expect(200);
      return passed.text.includes('The goal of €25,000 is reached.') && passed.text.includes('€26,000');
    });
  });

  it('the donate page folds the end of a long description, also without a script', async () => {
    const { slug } = await event({ description: 'The roof is old. '.repeat(40) });
    const { text } = await app.http.get(`/donate/${slug}`).expect(200);
    expect(text).toMatch(/old\.<\/p>\s*<details class="fold">\s*<summary>[^/]*Read more/);
    expect(text.match(/The roof is old\./g)?.length).toBeGreaterThanOrEqual(40);
  });

  it('amounts that stand side by side have decimals if one of them is not whole', async () => {
    const { id, slug } = await event();
    await admin.patch(`/events/${id}/settings`, { donation: { presets: [500, 1250] } }).expect(200);
    const { text } = await app.http.get(`/donate/${slug}`).expect(200);
    expect(text.match(/amount__box"\s*><span class="number">[^<]+/g)).toEqual([
      expect.stringContaining('€5.00'),
      expect.stringContaining('€12.50'),
    ]);
  });

  it('the donate page keeps the requested language through the payment and back', async () => {
    const { slug } = await event();
    const { headers, text } = await app.http.get(`/donate/${slug}?lang=nl`).expect(200);
    expect(text).toContain('Hoeveel wilt u doneren?');
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
    const later = await app.http.get(`/donate/${slug}/thanks?donation=x`).set('Cookie', cookie).expect(404);
    expect(later.text).toContain('<html lang="nl"');
  });

  it('only the websites in the settings may frame the donate page', async () => {
    const { id, slug } = await event();
    await admin
      .patch(`/events/${id}/settings`, { embed: { origins: ['https://www.example.org'] } })
      .expect(200);
    const { headers } = await app.http.get(`/donate/${slug}`).expect(200);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'self' https://www.example.org");
  });
});

describe('POST /donate/:slug, the plain form', () => {
  const send = (slug: string, fields: Record<string, string>) =>
    app.http.post(`/donate/${slug}`).type('form').send(fields);

  it.each([
    [{}, 'Choose an amount first'],
    [{ amount: 'much' }, 'Enter an amount, for example'],
    [{ amount: '12.34.56' }, 'Enter an amount, for example'],
    [{ amount: 'CHF 25' }, 'Enter an amount, for example'],
    [{ amount: '0.10' }, 'The smallest amount is €1'],
    [{ preset: '2500', email: 'nobody' }, 'enter a valid e-mail address'],
  ])('the invalid form %j returns with the reason and all entered values', async (fields, words) => {
    const { slug } = await event();
    const sent = { name: 'Ada "Countess" <Lovelace>', message: 'For the roof', ...fields };
    const { text } = await send(slug, { ...sent, provider: 'paypal' }).expect(400);
    expect(text).toContain(words);
    expect(text).toContain('value="Ada &quot;Countess&quot; &lt;Lovelace&gt;"');
    expect(text).toMatch(/>\s*For the roof<\/textarea/);
  });

  it('a form sent twice leads to the same payment', async () => {
    const paused = await event();
    const fields = { key: 'one-checkout', preset: '2500', name: 'Ada', provider: 'paypal' };
    const [first, second] = await Promise.all([send(paused.slug, fields), send(paused.slug, fields)]);
    expect(first.status).toBe(303);
    expect(second.headers.location).toBe(first.headers.location);
    expect(await donations(paused)).toHaveLength(1);
  });

  it('the form contains a checkout id, and keeps it when it returns with an error', async () => {
    const gala = await event();
    const checkoutIn = (text: string) => /name="checkout" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const checkout = checkoutIn((await app.http.get(`/donate/${gala.slug}`).expect(200)).text);
    expect(checkout).toMatch(/^[0-9a-f-]{36}$/);
    const refused = await send(gala.slug, { checkout, amount: 'much', provider: 'paypal' }).expect(400);
    expect(checkoutIn(refused.text)).toBe(checkout);
    await send(gala.slug, { checkout, preset: '2500', provider: 'paypal' }).expect(303);
    expect(await checkouts(gala)).toEqual([`page:${gala.id}:${checkout}`]);
  });

  it('a form sent after the event was paused explains the pause', async () => {
    const { slug, ...rest } = await event();
    await setStatus({ slug, ...rest }, 'paused');
    const { text } = await send(slug, { preset: '2500', provider: 'paypal' }).expect(409);
    expect(text).toContain('Donations are paused');
  });

  it('the server refuses a form from a page of another site', async () => {
    const { slug } = await event();
    await send(slug, { preset: '2500', provider: 'paypal' }).set('Sec-Fetch-Site', 'cross-site').expect(415);
  });

  it('the server refuses a form of another origin in browsers without Sec-Fetch-Site', async () => {
    const { slug } = await event();
    const give = () => send(slug, { preset: '2500', provider: 'paypal' });
    const { host } = new URL(app.url);
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, host])
      await give().set('Origin', origin).expect(415);
    await give().set('Origin', `http://${host}`).expect(303);
    const { headers } = await app.http.get(`/donate/${slug}`).expect(200);
    // With another policy, the browser would send `Origin: null` with the form.
    expect(headers['referrer-policy']).toBe('same-origin');
  });
});

describe('files of the donate page', () => {
  it('the files of the donate page stay within their size budget', () => {
    const folder = 'dist/web/files';
    const own = readdirSync(folder).filter((file) => /^donate-page-.*\.(js|css)\.gz$/.test(file));
    expect(own).toHaveLength(2);
    const bytes = own.reduce((sum, file) => sum + readFileSync(`${folder}/${file}`).length, 0);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });
});

describeWithChromium('the donate page in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  let open: { page: Page; problems: string[] }[] = [];

  afterEach(async () => {
    const problems = open.flatMap((one) => one.problems);
    await Promise.all(open.map(({ page }) => page.context().close()));
    open = [];
    expect(problems).toEqual([]);
  });

  const visit = async (path: string, options: BrowserContextOptions = {}) => {
    const one = await openPage(browser, options);
    open.push(one);
    await one.page.goto(app.url + path);
    return one;
  };
  const form = async (given: EventFixture, options: BrowserContextOptions = {}) => {
    const one = await visit(`/donate/${given.slug}`, options);
    await one.page.getByLabel('Card number').waitFor();
    return one;
  };
  const fillCard = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
  };
  const choose = (page: Page, amount: string) => page.getByLabel(amount, { exact: true }).check();
  const about = (page: Page) => page.getByText('About you').click();
  const give = (page: Page) => page.locator('#pay').click();
  const thanks = async (page: Page, title: string | RegExp) => {
    await page.getByRole('heading', { name: title }).waitFor();
    expect(page.url()).toContain('/thanks?donation=');
  };
  /** The browser reports every error answer. These answers are expected. */
  const expected = (one: { problems: string[] }, pattern: RegExp) => {
    const others = one.problems.filter((problem) => !pattern.test(problem));
    one.problems.splice(0, one.problems.length, ...others);
  };

  it('the donate page accepts a card, thanks the donor, shows the same after a reload, and offers the receipt', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€50');
    await about(page);
    await page.getByLabel('Name (optional)').fill('Ada Lovelace');
    await page.getByLabel('E-mail (optional)').fill('ada@example.org');
    await page.getByLabel('Your message (optional)').fill('Keep the light on!');
    await fillCard(page, CARDS.pays);
    await page.getByRole('button', { name: 'Donate €50' }).click();
    await thanks(page, /^Thank you/);
    await page.getByRole('heading', { name: 'Thank you, Ada Lovelace!' }).waitFor();
    await page.getByText('We received your donation of €50 for').waitFor();
    await page.getByText('You are donor 1.').waitFor();
    await page.getByText('You are on the donation wall.').waitFor();
    expect(await page.getByLabel('Your e-mail for the receipt').isVisible()).toBe(false);
    // The totals next to the thanks include the donation at once.
    expect(await page.textContent('.figures__raised')).toBe('€50');
    await page.reload();
    await thanks(page, /^Thank you/);
    const href = await page.getByRole('link', { name: /receipt/ }).getAttribute('href');
    const pdf = await app.http.get(href ?? '').expect(200);
    expect(pdf.headers['content-type']).toBe('application/pdf');
    expect(await donations(gala)).toMatchObject([
      { status: 'COMPLETED', amount: '5000', donor_name: 'Ada Lovelace', type: 'card' },
    ]);
  });

  it('the donate page keeps every entered value after a declined card, and pays the same intent with another card', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await page.getByLabel('Another amount').fill('37,50');
    await about(page);
    await page.getByLabel('Name (optional)').fill('Grace Hopper');
    await fillCard(page, CARDS.declines);
    await page.getByRole('button', { name: 'Donate €37.50' }).click();
    await page.getByRole('alert').filter({ hasText: 'declined' }).first().waitFor();
    // The card form shows the reason, and the page shows its consequence. No text appears twice.
    await page.locator('.note--bad', { hasText: 'nothing was charged' }).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'declined' }).count()).toBe(1);
    expect(await page.getByLabel('Another amount').inputValue()).toBe('37,50');
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Grace Hopper');
    expected(one, /402/);
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED', amount: '3750' }]);
  });

  it("the donate page leads to the donor's bank and back, and offers another attempt after a refusal", async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.asks);
    await give(page);
    await page.getByRole('button', { name: 'Fail the authentication' }).click();
    await thanks(page, 'Payment failed');
    // The script removes these parameters from the address as soon as the script runs.
    await until(() => !page.url().includes('client_secret'));
    await page.getByRole('link', { name: 'Try again' }).click();
    await fillCard(page, CARDS.asks);
    await page.getByRole('button', { name: 'Donate €25' }).click();
    await page.getByRole('button', { name: 'Authorize the payment' }).click();
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED', amount: '2500' }]);
  });

  it('the donate page names the table of the donor, keeps it after a refusal of the bank, and lets the donor take it away', async () => {
    const gala = await event();
    const { body: team } = await admin
      .post(`/events/${gala.id}/teams`, { name: 'Table <5>', kind: 'table', number: 5 })
      .expect(201);
    const { page } = await visit(`/donate/${gala.slug}?team=table-5`);
    await page.getByText('You are donating for Table <5>').waitFor();
    await choose(page, '€25');
    await fillCard(page, CARDS.asks);
    await give(page);
    await page.getByRole('button', { name: 'Fail the authentication' }).click();
    await thanks(page, 'Payment failed');
    await until(() => !page.url().includes('client_secret'));
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByText('You are donating for Table <5>').waitFor();
    await fillCard(page, CARDS.pays);
    await page.getByRole('button', { name: 'Donate €25' }).click();
    await thanks(page, /^Thank you/);
    expect(
      await sql(app, "SELECT team_id FROM donation WHERE event_id = $1 AND status = 'COMPLETED'", [gala.id]),
    ).toEqual([{ team_id: (team as { id: string }).id }]);
    const { page: other } = await visit(`/donate/${gala.slug}?team=table-5`);
    await choose(other, '€50');
    await other.getByRole('link', { name: 'Without a table or team' }).click();
    await other.getByLabel('Card number').waitFor();
    await other.reload();
    await other.getByLabel('Card number').waitFor();
    expect(await other.getByText('You are donating for').count()).toBe(0);
    await other.goto(`${app.url}/donate/${gala.slug}?team=table-99`);
    await other.getByText('Your donation counts for the event.').waitFor();
    await other.goto(`${app.url}/donate/${gala.slug}`);
    await other.getByLabel('Card number').waitFor();
    expect(await other.getByText('You are donating for').count()).toBe(0);
  });

  it('a donor who leaves the page of the bank continues there at once', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.asks);
    await give(page);
    await page.getByRole('button', { name: 'Authorize the payment' }).waitFor();
    await page.goBack();
    await page.getByText('Your bank is waiting for you to approve €25.').waitFor();
    expect(await page.locator('#pay').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Continue at your bank' }).click();
    await page.getByRole('button', { name: 'Authorize the payment' }).click();
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED', amount: '2500' }]);
  });

  it('a donor who leaves the page of the bank pays another way, and the first payment can no longer be completed', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.asks);
    await give(page);
    await page.getByRole('button', { name: 'Authorize the payment' }).waitFor();
    const bank = page.url();
    await page.goBack();
    await page.getByRole('button', { name: 'Pay another way' }).click();
    expect(await page.getByLabel('€25', { exact: true }).isEnabled()).toBe(true);
    await choose(page, '€50');
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await thanks(page, /^Thank you/);
    await page.goto(bank);
    expect(await page.getByRole('button', { name: 'Authorize the payment' }).count()).toBe(0);
    expect(await donations(gala)).toMatchObject([
      { status: 'CANCELLED', amount: '2500' },
      { status: 'COMPLETED', amount: '5000' },
    ]);
    const [first, second] = await checkouts(gala);
    expect(second).toBe(first);
  });

  it('the form offers another way at once when the answer to a payment is lost, and the lost payment cannot arrive later', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    const late: (() => Promise<unknown>)[] = [];
    await page.route(
      '**/v1/payment_intents/*/confirm',
      async (route) => {
        const request = route.request();
        late.push(() =>
          fetch(request.url(), { method: 'POST', headers: request.headers(), body: request.postData() }),
        );
        await route.abort('connectionfailed');
      },
      { times: 1 },
    );
    await give(page);
    await page.getByText('We received no answer about your payment of €25.').waitFor();
    await page.getByRole('button', { name: 'Pay another way' }).click();
    await page.locator('#amount').waitFor();
    await late[0]?.();
    await give(page);
    await thanks(page, /^Thank you/);
    expected(one, /net::|Failed to load/);
    expect(await donations(gala)).toMatchObject([
      { status: 'CANCELLED', amount: '2500' },
      { status: 'COMPLETED', amount: '2500' },
    ]);
  });

  it('a refusal of the bank leads the payer back to the pledge, also after the evening', async () => {
    const gala = await event();
    const post = async (path: string, body: object = {}) =>
      (await admin.post(path, body).expect(201)).body as object;
    const pledge = { type: 'pledge', amount: 50_000, eventId: gala.id, donorName: 'Ada Lovelace' };
    const { id } = (await post('/donations', pledge)) as { id: string };
    const { url } = (await post(`/donations/${id}/payment-link`)) as { url: string };
    await setStatus(gala, 'closed');
    const { page } = await visit(`/donate/${gala.slug}${new URL(url).search}`);
    await page.getByLabel('Card number').waitFor();
    await fillCard(page, CARDS.asks);
    await page.getByRole('button', { name: 'Donate €500' }).click();
    await page.getByRole('button', { name: 'Fail the authentication' }).click();
    await thanks(page, 'Payment failed');
    await until(() => !page.url().includes('client_secret'));
    await page.reload();
    await thanks(page, 'Payment failed');
    await page.getByRole('link', { name: 'Try again' }).click();
    await fillCard(page, CARDS.asks);
    await page.getByRole('button', { name: 'Donate €500' }).click();
    await page.getByRole('button', { name: 'Authorize the payment' }).click();
    await thanks(page, /^Thank you/);
    // The heading appears before the script of the page has run, so the test waits for the script.
    await page.getByText('Your pledge is paid.').waitFor();
    await until(() => !page.url().includes('pledge'));
    expect(await donations(gala)).toMatchObject([
      { status: 'CANCELLED', type: 'pledge' },
      { status: 'COMPLETED', amount: '50000' },
    ]);
  });

  it('the thank-you page shows a pending payment, and thanks the donor when the payment arrives', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.processes);
    await give(page);
    await thanks(page, 'Your payment is being processed');
    await page.reload();
    await thanks(page, 'Your payment is being processed');
    const [donation] = await donations(gala);
    app.sandbox.stripe.pay(donation?.payment_id ?? '');
    await thanks(page, /^Thank you/);
  });

  it('a donor pays with a wallet of the browser', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await page.getByRole('button', { name: 'Google Pay' }).click();
    await page.getByText('Choose an amount first.').waitFor();
    await choose(page, '€10');
    await page.getByRole('button', { name: 'Google Pay' }).click();
    await thanks(page, /^Thank you/);
    // The wallet gave the name and address for the receipt. The wall does not show the name, because the donor did not type it.
    await page.getByText('on the donation wall as “Anonymous”').waitFor();
    expect(await page.getByLabel('Your e-mail for the receipt').isVisible()).toBe(false);
    expect(await donations(gala)).toMatchObject([
      { status: 'COMPLETED', amount: '1000', donor_name: 'Dora Donor', is_anonymous: true },
    ]);
  });

  it('a donor pays with PayPal without a script, and the back button causes no second payment', async () => {
    const gala = await event();
    const { page } = await visit(`/donate/${gala.slug}`, { javaScriptEnabled: false });
    await choose(page, '€100');
    await about(page);
    await page.getByLabel('Name (optional)').fill('Émilie du Châtelet');
    await page.getByText('Hide my name').click();
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await thanks(page, /^Thank you/);
    expect(page.url()).not.toContain('returned');
    await page.getByText('Your donation is on the donation wall as “Anonymous”.').waitFor();
    await page.reload();
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([
      { status: 'COMPLETED', amount: '10000', type: 'wallet', is_anonymous: true },
    ]);
  });

  it('the donate page explains after an unpaid return from PayPal that nothing was charged', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€100');
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: 'Cancel and go back' }).click();
    await page.getByText('You came back without paying').waitFor();
    // The note comes from the server. The script restores the values that the donor had entered.
    await page.getByLabel('€100').and(page.locator(':checked')).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toHaveLength(1);
  });

  it('the donate page uses one checkout id for a declined card and PayPal after it, and another for the next donation', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.declines);
    await give(page);
    await page.locator('.note--bad', { hasText: 'nothing was charged' }).waitFor();
    await page.reload();
    await page.getByLabel('Card number').waitFor();
    await choose(page, '€50');
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
    await thanks(page, /^Thank you/);
    await page.goto(`${app.url}/donate/${gala.slug}`);
    await page.getByRole('button', { name: 'Donate again' }).click();
    await choose(page, '€50');
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    expected(one, /402/);
    const [declined, wallet, later] = await checkouts(gala);
    expect(declined).toMatch(/^page:.*[0-9a-f]{32}$/);
    expect(wallet).toBe(declined);
    expect(later).toMatch(/^page:.*[0-9a-f]{32}$/);
    expect(later).not.toBe(wallet);
  });

  it('the donate page restores entered values after a reload, and sends one donation for a double click', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await about(page);
    await page.getByLabel('Name (optional)').fill('Mary Jackson');
    await page.getByLabel('Name (optional)').blur();
    await page.reload();
    await page.getByLabel('Card number').waitFor();
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Mary Jackson');
    await fillCard(page, CARDS.pays);
    await page.locator('#pay').dblclick();
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED', donor_name: 'Mary Jackson' }]);
  });

  it('the thank-you page asks for an e-mail address if none is known, and saves it for the receipt', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    await page.getByLabel('Your e-mail for the receipt').fill('mary@example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Please enter a valid e-mail address.').waitFor();
    expected(one, /400/);
    await takePicture(page, 'donate-thanks-email');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Your e-mail for the receipt').fill('mary@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Your e-mail for the receipt').waitFor({ state: 'detached' });
    expect(
      await sql(app, 'SELECT donor_email AS email FROM donation WHERE event_id = $1', [gala.id]),
    ).toEqual([{ email: 'mary@example.org' }]);
  });

  it('the donate page shows a paid donation after the back button, and starts another only on request', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    const scanned = await page.context().newPage();
    await scanned.goto(`${app.url}/donate/${gala.slug}`);
    await scanned.getByText('You donated €25 1 minute ago.').waitFor();
    expect(await scanned.locator('#pay').isVisible()).toBe(true);
    await takePicture(scanned, 'donate-recent');
    await scanned.getByRole('button', { name: 'Donate €25 again' }).click();
    expect(await scanned.getByLabel('€25', { exact: true }).isChecked()).toBe(true);
    expect(await scanned.textContent('#pay-label')).toBe('Donate €25');
    // Another person may use the device later.
    await scanned.clock.setSystemTime(Date.now() + 11 * 60_000);
    await scanned.evaluate('sessionStorage.clear()');
    await scanned.reload();
    await scanned.getByLabel('Card number').waitFor();
    expect(await scanned.locator('#recent').isVisible()).toBe(false);
    expect(await scanned.evaluate('localStorage.length')).toBe(0);
    await scanned.close();
    await page.goBack();
    await page.getByRole('heading', { name: 'You have just donated' }).waitFor();
    expect(await page.locator('#pay').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Donate again' }).click();
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED' }, { status: 'COMPLETED' }]);
  });

  it('a donor is charged once when the answer to a payment is lost', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    // The payment reaches the provider, but the answer is lost. Then the whole network fails.
    await page.route(
      '**/v1/payment_intents/*/confirm',
      async (route) => {
        await route.fetch();
        await page.context().setOffline(true);
        await route.abort('connectionfailed');
      },
      { times: 1 },
    );
    await give(page);
    await page.getByText('you will never be charged twice').waitFor();
    expect(await page.getByLabel('€25').isDisabled()).toBe(true);
    await page.context().setOffline(false);
    await give(page);
    await thanks(page, /^Thank you/);
    expected(one, /net::|Failed to load/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED', amount: '2500' }]);
    expect(app.sandbox.stripe.payments().filter(({ paid }) => paid > 0).length).toBeGreaterThan(0);
  });

  it('the donate page requests the same intent again when its answer was lost', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    await page.route(
      '**/donations/intent',
      async (route) => {
        await route.fetch();
        await route.abort('connectionfailed');
      },
      { times: 1 },
    );
    await give(page);
    await page.getByText('No connection. Nothing was charged.').waitFor();
    await give(page);
    await thanks(page, /^Thank you/);
    expected(one, /net::|Failed to load/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('two tabs with one checkout pay once', async () => {
    const gala = await event();
    const { page } = await form(gala);
    await choose(page, '€25');
    await fillCard(page, CARDS.declines);
    await give(page);
    await page.getByRole('alert').filter({ hasText: 'declined' }).first().waitFor();
    // A duplicated tab begins with a copy of the session storage.
    const kept = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    const twin = await page.context().newPage();
    await twin.addInitScript(`Object.assign(sessionStorage, ${kept})`);
    await twin.goto(`${app.url}/donate/${gala.slug}`);
    await twin.getByLabel('Card number').waitFor();
    await fillCard(twin, CARDS.pays);
    await give(twin);
    await thanks(twin, /^Thank you/);
    await fillCard(page, CARDS.pays);
    await give(page);
    await thanks(page, /^Thank you/);
    expected(open[0] ?? { problems: [] }, /402/);
    expect(await donations(gala)).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('the donate page keeps entered values and explains that the event was paused meanwhile', async () => {
    const gala = await event();
    const one = await form(gala);
    const { page } = one;
    await choose(page, '€25');
    await fillCard(page, CARDS.pays);
    await setStatus(gala, 'paused');
    await give(page);
    await page.getByText('does not accept donations now').waitFor();
    expect(await page.getByLabel('€25').isChecked()).toBe(true);
    expected(one, /409/);
    expect(await donations(gala)).toEqual([]);
  });

  it('the donate page offers PayPal when the script of the card form cannot be loaded', async () => {
    const gala = await event();
    const one = await openPage(browser);
    open.push(one);
    await one.page.route(`${app.sandbox.url}/stripe.js`, (route) => route.abort());
    await one.page.goto(`${app.url}/donate/${gala.slug}`);
    await one.page.getByText('The payment form could not load').waitFor();
    await choose(one.page, '€25');
    await one.page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await one.page.getByRole('button', { name: /Agree to pay/ }).waitFor();
    expected(one, /net::|Failed to load/);
  });

  it('no amount breaks inside the number on a narrow phone, a phone and a laptop', async () => {
    const gala = await event({ currency: 'chf' });
    const presets = [2_000, 5_000, 10_000, 25_000, 123_456];
    await admin.patch(`/events/${gala.id}/settings`, { donation: { presets } }).expect(200);
    await book.give(gala.id, { amount: 1_284_500, currency: 'chf' });
    const { page } = await visit(`/donate/${gala.slug}?lang=de`);
    await page.locator('#card input, #card [data-sandbox-element]').first().waitFor();
    for (const width of [280, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await takePicture(page, `donate-chf-${String(width)}`);
      const lines = await page.evaluate(() =>
        [...document.querySelectorAll('.amount__box .number, .figures__raised')].map((box) => {
          const range = document.createRange();
          range.selectNodeContents(box);
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        }),
      );
      expect({ width, lines }).toEqual({ width, lines: presets.map(() => 1).concat(1) });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('the donate page refuses an amount outside the limits at its field, before any request', async () => {
    const gala = await event();
    const bounds = { minAmount: 500, maxAmount: 100_000 };
    await admin.patch(`/events/${gala.id}/settings`, { donation: bounds }).expect(200);
    const { page } = await form(gala);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() !== 'font') requests.push(request.url());
    });
    const amount = page.getByLabel('Another amount');
    await amount.pressSequentially('1000.50');
    await page.getByText('The largest amount is €1,000.').waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    expect(await amount.inputValue()).toBe('1000.50');
    await amount.fill('２５');
    await page.getByRole('button', { name: 'Donate €25' }).waitFor();
    expect(await page.locator('.note--bad').isVisible()).toBe(false);
    for (const [typed, words] of [
      ['4', 'The smallest amount is €5.'],
      ['CHF 25', 'Enter an amount, for example €25.'],
    ] as const) {
      await amount.fill(typed);
      await amount.blur();
      await page.getByText(words).waitFor();
    }
    expect(requests).toEqual([]);
  });

  it('the form can be filled and sent by keyboard alone', async () => {
    const gala = await event();
    const { page } = await form(gala, { viewport: SCREENS.hd });
    await page.getByRole('radio').first().focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await fillCard(page, CARDS.pays);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Key Board');
    await page.getByText('The donation wall shows “Key Board”.').waitFor();
    await page.keyboard.press('Enter');
    await thanks(page, /^Thank you/);
    expect(await donations(gala)).toMatchObject([{ amount: '2500', donor_name: 'Key Board' }]);
  });

  describe('on a phone in light, and on a laptop in the dark', () => {
    // Each size and each colour scheme once: a style depends on only one of them.
    const look = async (page: Page, name: string) => {
      await page.evaluate('document.fonts.ready');
      for (const [screen, colorScheme] of [
        ['hd', 'dark'],
        ['phone', 'light'],
      ] as const) {
        await page.setViewportSize(SCREENS[screen]);
        await page.emulateMedia({ colorScheme });
        await takePicture(page, `donate-${name}-${screen}-${colorScheme}`);
        const wrong = await accessibilityProblems(page);
        expect({ name, screen, wrong }).toEqual({ name, screen, wrong: [] });
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    };

    it('every state of the donate page is accessible, fits, and breaks no policy', async () => {
      const gala = await event();
      await book.give(gala.id, { amount: 1_284_500 });
      const one = await form(gala);
      const { page } = one;
      await look(page, 'form');
      await give(page);
      await page.getByText('Choose an amount first.').waitFor();
      await look(page, 'missing');
      await choose(page, '€50');
      await about(page);
      await look(page, 'about');
      await page.getByText('Hide my name').click();
      await fillCard(page, CARDS.declines);
      await give(page);
      await page.locator('.note--bad', { hasText: 'nothing was charged' }).waitFor();
      expected(one, /402/);
      await look(page, 'declined');
      await fillCard(page, CARDS.asks);
      await give(page);
      await page.getByRole('button', { name: 'Authorize the payment' }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Continue at your bank' }).waitFor();
      await look(page, 'open');
      await page.getByRole('button', { name: 'Pay another way' }).click();
      await page.locator('#amount').waitFor();
      await page.evaluate(
        "document.querySelectorAll('fieldset').forEach((part) => { part.disabled = true; })",
      );
      await look(page, 'locked');
      await page.evaluate(
        "document.querySelectorAll('fieldset').forEach((part) => { part.disabled = false; })",
      );
      await fillCard(page, CARDS.processes);
      await give(page);
      await thanks(page, 'Your payment is being processed');
      await look(page, 'processing');
      const donation = (await donations(gala)).filter(({ type }) => type === 'card').at(-1);
      app.sandbox.stripe.pay(donation?.payment_id ?? '');
      await thanks(page, /^Thank you/);
      await look(page, 'thanks');
      await page.goBack();
      await page.getByRole('heading', { name: 'You have just donated' }).waitFor();
      await look(page, 'already');
      const shown = async (path: string, name: string) => {
        await page.goto(app.url + path);
        await look(page, name);
      };
      await shown(`/donate/${(await event({ status: 'paused' })).slug}`, 'paused');
      await shown(`/donate/${(await event({ status: 'closed' })).slug}`, 'closed');
      await shown('/donate/no-such-event', 'unknown');
      await shown(`/donate/${gala.slug}/thanks?donation=x`, 'no-donation');
      expected(one, /404/);
    });
  });

  it('the page fits at double text size, in German and in English for a locale without texts', async () => {
    const gala = await event();
    await admin
      .patch(`/events/${gala.id}/settings`, { locales: { default: 'en', supported: ['en', 'de', 'ar'] } })
      .expect(200);
    for (const [lang, widths] of [
      ['de', [195, 640]],
      ['ar', [390, 1280]],
    ] as const) {
      const { page } = await visit(`/donate/${gala.slug}?lang=${lang}`);
      await page.getByLabel('Card number').waitFor();
      const questions =
        lang === 'ar' ? 'Optional: name, e-mail, message.' : 'Freiwillig: Name, E-Mail und Nachricht.';
      expect(await page.textContent('#about summary')).toContain(questions);
      expect(await page.locator('html').getAttribute('lang')).toBe(lang === 'ar' ? 'en' : 'de');
      expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
      // An English page has English amounts, and remembers the donor's language for e-mails and receipts.
      expect(await page.locator('.amount__box').first().innerText()).toMatch(
        lang === 'ar' ? /^€\d+$/ : /^\d+\s€$/,
      );
      const model = await page.locator('body').getAttribute('data-model');
      expect(JSON.parse(model ?? '{}')).toMatchObject({ donorLocale: lang });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await takePicture(page, `donate-${lang}-${width}`);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(await accessibilityProblems(page)).toEqual([]);
      }
    }
  });
});
