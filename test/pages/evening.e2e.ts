import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pdfText } from '../export/tools.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { describeWithChromium, itWithTool } from '../support/tools.js';
import { until } from '../support/until.js';
import { openWall } from '../support/wall-page.js';
import { withOpened, withEvent } from '../support/setup.js';

const PAYS = '4242 4242 4242 4242';
const DECLINES = '4000 0000 0000 0002';
const PHONE = { viewport: SCREENS.phone, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** The donations of the evening and their final amounts. */
const GIVEN = [
  { name: 'Ada Lovelace', email: 'ada@example.org', shown: '€50', exact: '€50.00' },
  { name: 'Émilie du Châtelet', email: 'emilie@example.org', shown: '€100', exact: '€100.00' },
  { name: 'Grace Hopper', email: 'grace@example.org', shown: '€37.50', exact: '€37.50' },
] as const;
const [CARD, WALLET, RETRIED] = GIVEN;

describeWithChromium('an evening in the hall', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
    fields: {
      slug: 'lighthouse',
      name: 'A new roof for the lighthouse',
      description:
        'One evening, one roof. Every amount keeps the light on for the boats that come home late.',
      goalAmount: 100_000,
    },
  });
  let pictures = 0;

  beforeAll(async () => {
    await admin
      .patch('/settings/global', {
        organization: 'Harbour Lights Foundation',
        legal: { legalName: 'Harbour Lights Foundation', address: '1 Quay Street\nBristol' },
        donation: { receiptDownload: true },
      })
      .expect(200);
  });

  /** Takes the next picture of the evening, with a number in its name. */
  const picture = async (page: Page, name: string) => {
    const number = String((pictures += 1)).padStart(2, '0');
    await page.evaluate('document.fonts.ready');
    await takePicture(page, `evening-${number}-${name}`);
  };

  const phone = async (options: { javaScriptEnabled?: boolean } = {}) => {
    const one = await openPage(browser, { ...PHONE, ...options });
    await one.page.goto(`${app.url}/donate/${event.slug}`);
    return one;
  };
  const fillCard = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
  };
  const introduce = async (page: Page, { name, email }: (typeof GIVEN)[number]) => {
    await page.getByText('About you').click();
    await page.getByLabel('Name (optional)').fill(name);
    await page.getByLabel('E-mail (optional)').fill(email);
  };

  const byCard = async (page: Page) => {
    await page.getByLabel('Card number').waitFor();
    await page.getByLabel(CARD.shown, { exact: true }).check();
    await introduce(page, CARD);
    await page.getByLabel('Your message (optional)').fill('Keep the light on!');
    await fillCard(page, PAYS);
    await picture(page, 'card-form');
    await page.getByRole('button', { name: `Donate ${CARD.shown}` }).click();
  };
  const byWallet = async (page: Page) => {
    await page.getByLabel(WALLET.shown, { exact: true }).check();
    await introduce(page, WALLET);
    await picture(page, 'wallet-form');
    await page.getByRole('button', { name: 'Donate with PayPal' }).click();
    await page.getByRole('button', { name: /Agree to pay/ }).click();
  };
  const declinedThenPaid = async (page: Page) => {
    await page.getByLabel('Card number').waitFor();
    await page.getByLabel('Another amount').fill('37.50');
    await introduce(page, RETRIED);
    await fillCard(page, DECLINES);
    await page.getByRole('button', { name: `Donate ${RETRIED.shown}` }).click();
    await page.locator('.note--bad', { hasText: 'nothing was charged' }).waitFor();
    await picture(page, 'declined');
    await fillCard(page, PAYS);
    await page.locator('#pay').click();
  };
  const rows = () =>
    sql<{ status: string; amount: string; donor_name: string; payment_id: string }>(
      app,
      'SELECT status::text, amount, donor_name, payment_id FROM donation WHERE event_id = $1 ORDER BY amount',
      [event.id],
    );

  itWithTool(
    'pdftotext',
    'donors pay by card, by wallet and after a declined card, and the wall, receipts and totals agree',
    async () => {
      const wall = await openWall(browser, `${app.url}/wall/${event.slug}`, { viewport: SCREENS.fullHd });
      // Counts for every line how often it appears on the wall.
      await wall.page.evaluate(`{
      globalThis.came = {};
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node.dataset?.id) came[node.dataset.id] = (came[node.dataset.id] ?? 0) + 1;
      }).observe(document.getElementById('feed'), { childList: true, subtree: true });
    }`);
      await picture(wall.page, 'wall-before');

      const [card, wallet, retried] = await Promise.all([
        phone(),
        phone({ javaScriptEnabled: false }),
        phone(),
      ]);
      const phones = [card, wallet, retried];
      await Promise.all([byCard(card.page), byWallet(wallet.page), declinedThenPaid(retried.page)]);

      for (const [index, { page }] of phones.entries()) {
        const given = GIVEN[index] ?? CARD;
        for (const time of ['first', 'again']) {
          await page.getByRole('heading', { name: /^Thank you/ }).waitFor();
          // A moment after the heading appears, the script removes the provider's parameters from the address.
          await until(() => /\/thanks\?donation=[^&]+$/.test(page.url()), 'a short address');
          expect(await page.textContent('.notice')).toContain(given.shown);
          // Other people may open this address, so the page shows no e-mail address.
          expect(await page.content()).not.toContain(given.email);
          if (time === 'first') await page.reload();
        }
        await picture(page, `thanks-${index + 1}`);
      }

      await wall.until(`document.getElementById('total').textContent === '€187.50'`);
      const shown = () =>
        wall.page.evaluate<string[]>(
          `[...document.querySelectorAll('#feed .donation:not([hidden])')].map(({ innerText }) => innerText)`,
        );
      await until(async () => (await shown()).length === GIVEN.length);
      for (const { name, shown: amount } of GIVEN) {
        const lines = (await shown()).filter((line) => line.includes(name));
        expect(lines).toEqual([expect.stringContaining(amount)]);
      }
      expect(Object.values(await wall.page.evaluate<Record<string, number>>('came'))).toEqual([1, 1, 1]);
      await wall.page.waitForTimeout(1_500);
      await picture(wall.page, 'wall-after');
      expect(await accessibilityProblems(wall.page)).toEqual([]);

      const booked = await rows();
      expect(booked).toMatchObject([
        { amount: '3750', donor_name: RETRIED.name, status: 'COMPLETED' },
        { amount: '5000', donor_name: CARD.name, status: 'COMPLETED' },
        { amount: '10000', donor_name: WALLET.name, status: 'COMPLETED' },
      ]);
      // The declined payment and the next payment use one intent.
      const intents = app.sandbox.stripe.payments();
      expect(intents).toHaveLength(2);
      expect(intents.map(({ paid }) => paid).sort((a, b) => a - b)).toEqual([3750, 5000]);
      const { body: totals } = await app.http.get('/events/public').expect(200);
      expect((totals as { slug: string; totalRaised: number; donorCount: number }[])[0]).toMatchObject({
        totalRaised: 18_750,
        donorCount: 3,
      });

      for (const { name, email, exact } of GIVEN) {
        await until(() => mail.to(email).length > 0, `the receipt of ${name}`);
        const [received] = mail.to(email);
        expect(received?.subject).toBe('Your receipt from Harbour Lights Foundation');
        expect(received?.text).toContain(exact);
        const pdf = received?.attachments.find(({ mimeType }) => mimeType === 'application/pdf');
        const printed = await pdfText(Buffer.from((pdf?.content ?? '') as ArrayBuffer));
        expect(printed).toContain(name);
        expect(printed).toContain(exact);
      }
      // If the service sent a duplicate, it would arrive within this time.
      await wall.page.waitForTimeout(1_000);
      expect(mail.received).toHaveLength(GIVEN.length);

      // In this test the provider declines one payment. The browser may report only this answer.
      expect(wall.problems).toEqual([]);
      expect(phones.map(({ problems }) => problems)).toEqual([[], [], [expect.stringMatching(/402/)]]);
      await Promise.all([wall, ...phones].map(({ page }) => page.context().close()));
    },
  );
});
