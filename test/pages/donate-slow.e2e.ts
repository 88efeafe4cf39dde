import { beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

/**
 * Payments that take days: the thank-you page shows the duration, and promises no receipt before the money
 * has arrived.
 */

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL, corsOrigins: ['*'] }),
});

beforeAll(async () => {
  const locales = { default: 'en', supported: ['en', 'de', 'fr', 'es', 'it', 'nl'] };
  await admin.patch(`/events/${event.id}/settings`, { locales }).expect(200);
});

interface Opened {
  readonly clientSecret: string;
  readonly orderId: string;
  readonly donationId: string;
  readonly donorToken: string;
}
const open = async (metadata: object = {}, method = 'card'): Promise<Opened> => {
  const body = { amount: 2500, method, metadata: { eventId: event.id, ...metadata } };
  return (await app.http.post('/donations/intent').send(body).expect(201)).body as Opened;
};
const thanksPath = ({ donorToken }: Opened, language = 'en') =>
  `/donate/${event.slug}/thanks?donation=${donorToken}&lang=${language}`;
const thanks = async (opened: Opened, language = 'en') =>
  (await app.http.get(thanksPath(opened, language)).expect(200)).text;
const own = async ({ donorToken }: Opened) =>
  (await app.http.get(`/donations/mine/${donorToken}`).expect(200)).body as {
    state: string;
    waitsFor?: string;
  };
const wall = async () => (await app.http.get(`/wall/${event.slug}`).expect(200)).text;
const emails = async () => (await sql(app, 'SELECT 1 FROM email')).length;

describe('the thank-you page of a slow payment', () => {
  it('the page of a debit names up to 5 working days, and promises the wall and the receipt for after the payment', async () => {
    const address = 'slow@example.org';
    const opened = await open({ donorName: 'Slow Donor', donorEmail: address });
    app.sandbox.stripe.process(opened.clientSecret, { method: 'sepa_debit' });
    await app.sandbox.settled();
    expect(await own(opened)).toMatchObject({ state: 'processing', waitsFor: 'bank' });
    const page = await thanks(opened);
    expect(page).toContain('Your bank is processing your donation');
    expect(page).toContain('Your bank usually takes up to 5 working days for the payment of €25');
    expect(page).toContain('The donation wall shows your donation when the money has arrived.');
    expect(page).toContain('The receipt comes by e-mail when the money has arrived.');
    expect(page).not.toMatch(/We send your receipt|You are on the donation wall/);
    expect(await emails()).toBe(0);
    expect(await wall()).not.toContain('Slow Donor');

    app.sandbox.stripe.pay(opened.clientSecret);
    await app.sandbox.settled();
    expect(await thanks(opened)).toMatch(
      /You are on the donation wall\.[^]*We send your receipt by e-mail\./,
    );
    await until(() => mail.to(address).length === 1, 'the receipt');
    expect((await own(opened)).waitsFor).toBeUndefined();
  });

  it('a debit that the bank refuses sends no receipt', async () => {
    const opened = await open({ donorEmail: 'refused@example.org' });
    app.sandbox.stripe.process(opened.clientSecret, { method: 'sepa_debit' });
    await app.sandbox.settled();
    const before = await emails();
    app.sandbox.stripe.decline(opened.clientSecret);
    await app.sandbox.settled();
    expect(await own(opened)).toMatchObject({ state: 'failed' });
    expect(await emails()).toBe(before);
  });

  it('a donor with a voucher reads that the payment is still open', async () => {
    const opened = await open();
    app.sandbox.stripe.issueVoucher(opened.clientSecret, { kind: 'multibanco' });
    expect(await own(opened)).toMatchObject({ state: 'processing', waitsFor: 'donor' });
    const page = await thanks(opened);
    expect(page).toContain('Your payment is still open');
    expect(page).toContain('The donation wall shows your donation when the money has arrived.');
    // Without an e-mail address, no e-mail is promised.
    expect(page).not.toContain('comes by e-mail');
    expect(page).toContain('name="email"');
  });

  it.each([
    ['ECHECK', 'bank', 'Your bank usually takes up to 5 working days'],
    ['PENDING_REVIEW', undefined, 'is being processed. This can take a few days.'],
  ] as const)(
    'for a PayPal payment that is pending for %s, the donation of the donor names %s as the waiting reason',
    async (reason, waitsFor, text) => {
      const opened = await open({}, 'wallet');
      app.sandbox.paypal.approve(opened.orderId);
      app.sandbox.paypal.onCapture(opened.orderId, { outcome: 'pending', reason });
      await app.http.post(`/donations/wallet/${opened.orderId}/capture`);
      await app.sandbox.settled();
      expect((await own(opened)).waitsFor).toBe(waitsFor);
      expect(await thanks(opened)).toContain(text);
    },
  );

  it.each([
    ['de', 'meist bis zu 5 Werktage', 'sobald das Geld angekommen ist'],
    ['fr', 'jusqu’à 5 jours ouvrés', 'dès que l’argent sera arrivé'],
    ['es', 'hasta 5 días hábiles', 'cuando llegue el dinero'],
    ['it', 'fino a 5 giorni lavorativi', 'quando il denaro sarà arrivato'],
    ['nl', 'meestal tot 5 werkdagen', 'zodra het geld is aangekomen'],
  ])('the page names the duration in %s', async (language, days, later) => {
    const opened = await open();
    app.sandbox.stripe.process(opened.clientSecret, { method: 'bacs_debit_test' });
    app.sandbox.stripe.decline(opened.clientSecret);
    app.sandbox.stripe.process(opened.clientSecret, { method: 'sepa_debit' });
    await app.sandbox.settled();
    const page = await thanks(opened, language);
    expect(page).toContain(days);
    expect(page).toContain(later);
  });
});

describeWithChromium('the thank-you page of a slow payment, in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it.each([
    ['phone', 'light'],
    ['hd', 'dark'],
  ] as const)('the page of a debit looks right (%s, %s)', async (screen, colorScheme) => {
    const opened = await open({ donorEmail: 'looks@example.org' });
    app.sandbox.stripe.process(opened.clientSecret, { method: 'sepa_debit' });
    await app.sandbox.settled();
    const { page, problems } = await openPage(browser, { viewport: SCREENS[screen], colorScheme });
    await page.goto(`${app.url}${thanksPath(opened, 'de')}`);
    await page.getByText('bis zu 5 Werktage').waitFor();
    await takePicture(page, `donate-slow-${screen}-${colorScheme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    app.sandbox.stripe.pay(opened.clientSecret);
    await page.getByText('Wir senden Ihre Quittung per E-Mail.').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
