import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createEvent, sql } from '../support/fixtures.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { recordPledge } from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('the own page of a donor, in a browser', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'], mailTimes: FAST_MAIL }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));
  const email = 'ada.lovelace@example.org';

  beforeAll(async () => {
    await admin
      .patch('/settings/global', { organization: 'Haus am See', timezone: 'Europe/Berlin' })
      .expect(200);
    const run = await createEvent(app, admin.token, { name: 'Charity Run along the lake, with children' });
    const donor = { donorName: 'Ada Lovelace', donorEmail: email };
    for (const gift of [
      { amount: 2_500, eventId: event.id },
      { amount: 120_000, eventId: run.id, isAnonymous: true },
      { amount: 5_000, eventId: event.id },
    ])
      await admin.post('/donations', { type: 'cash', ...donor, ...gift }).expect(201);
    await sql(app, "UPDATE donation SET completed_at = '2025-11-30T19:00:00Z' WHERE amount = 2500");
    await recordPledge(admin, { ...donor, eventId: event.id, amount: 30_000 });
  });

  /** Takes pictures of a page on a phone and a large screen, light and dark. */
  async function look(page: Page, name: string): Promise<void> {
    for (const [screen, colorScheme] of [
      ['phone', 'light'],
      ['hd', 'dark'],
    ] as const) {
      await page.setViewportSize(SCREENS[screen]);
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `me-${name}-${screen}-${colorScheme}`);
      expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  }
  const linkTo = () => {
    const link = /http\S+\/me\/sign-in\/\S+/.exec(mail.to(email).at(-1)?.text ?? '')?.[0] ?? '';
    return `${app.url}${new URL(link).pathname}${new URL(link).search}`;
  };

  it('a donor signs in with the link of an e-mail and finds the gifts, receipts and statements', async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${app.url}/me`);
    await page.getByRole('heading', { name: 'Your donations' }).waitFor();
    await look(page, 'ask');
    await page.getByLabel('Your e-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('heading', { name: 'Please look at your e-mails' }).waitFor();
    await look(page, 'sent');
    await until(() => mail.to(email).length === 1, 'the link');
    const { page: letter } = await openPage(browser);
    await letter.setContent(mail.to(email)[0]?.html ?? '');
    await takePicture(letter, 'me-email');
    await letter.context().close();
    await page.goto(linkTo());
    await look(page, 'link');
    await page.getByRole('button', { name: 'Show my donations' }).click();
    await page.getByText(`with the address ${email}`).waitFor();
    await look(page, 'gifts');
    const [receipt] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Receipt \(PDF\): €1,200.00/ }).click(),
    ]);
    expect(receipt.suggestedFilename()).toMatch(/^receipt-\d{4}-000001\.pdf$/);
    const [statement] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: '2025 (PDF)' }).click(),
    ]);
    expect(statement.suggestedFilename()).toBe('statement-2025.pdf');
    await page.getByRole('button', { name: 'Stop e-mails about pledges' }).click();
    await page.getByText('This address gets no e-mails about pledges.').waitFor();
    const [everything] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download everything (JSON)' }).click(),
    ]);
    expect(everything.suggestedFilename()).toBe('donor.json');
    await page.getByRole('link', { name: 'Pay now' }).click();
    await page.getByText('€300').first().waitFor();
    await page.goto(`${app.url}/me`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await look(page, 'out');
    expect(problems).toEqual([]);
    await page.goto(linkTo());
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await look(page, 'gone');
    expect(problems).toEqual([expect.stringContaining('410')]);
    await page.context().close();
  });

  it('the page works in German without JavaScript, and keeps its language', async () => {
    const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(`${app.url}/me`);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByLabel('Ihre E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: 'Link senden' }).click();
    await page.getByRole('heading', { name: 'Bitte sehen Sie in Ihre E-Mails' }).waitFor();
    await until(() => mail.to(email).length === 2, 'the link');
    expect(mail.to(email)[1]?.subject).toBe('Ihre Spenden an Haus am See');
    await page.goto(linkTo());
    await page.getByRole('button', { name: 'Meine Spenden zeigen' }).click();
    await page.getByRole('heading', { name: 'Offene Zusagen' }).waitFor();
    await page.getByText('1.200,00 €').waitFor();
    await takePicture(page, 'me-gifts-de');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Sie sind abgemeldet' }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
