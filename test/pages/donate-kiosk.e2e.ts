import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, takePicture } from '../support/browser.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('the donate page at a kiosk', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({ start: () => startPaymentsApp({}, { corsOrigins: ['*'] }) });
  const kiosk = async (query = ''): Promise<Page> => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${app.url}/donate/${event.slug}?kiosk=1${query}`);
    return page;
  };
  const bar = (page: Page) => page.locator('.kiosk');
  const paid = async () => {
    const metadata = { eventId: event.id, donorName: 'Mary Jones' };
    const body = { amount: 2500, method: 'card', metadata };
    const answer = await app.http.post('/donations/intent').send(body).expect(201);
    const { clientSecret, donorToken } = answer.body as { clientSecret: string; donorToken: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    return `${app.url}/donate/${event.slug}/thanks?donation=${donorToken}`;
  };

  it('starts again 20 seconds after a donation, without a trace of the donor', async () => {
    const page = await kiosk();
    await page.goto(await paid());
    await page.getByText('Thank you, Mary Jones').waitFor();
    await bar(page).getByText('This page starts again in 20 seconds.').waitFor();
    expect(await page.getByText('Tell others').or(page.getByText('Save the address')).isVisible()).toBe(
      false,
    );
    expect(await page.locator('a[href^="/wall/"]').isVisible()).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'donate-kiosk-thanks');
    await page.clock.runFor(21_000);
    await page.waitForURL(/kiosk=1&lang=en$/);
    await page.locator('#give').waitFor();
    expect(await page.locator('#recent').isVisible()).toBe(false);
    expect(await page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))')).toEqual([
      'kiosk',
    ]);
    await page.goBack();
    await page.locator('#give').waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
  });

  it('gives a donor more time on the thank-you page, and the next donor none of it', async () => {
    const page = await kiosk();
    await page.goto(await paid());
    await bar(page).waitFor();
    await page.clock.runFor(15_000);
    await page.getByLabel('E-mail').fill('mary@');
    await bar(page).getByText('This page starts again in 60 seconds.').waitFor();
    await page.clock.runFor(55_000);
    await page.getByRole('button', { name: 'More time' }).click();
    await bar(page).getByText('This page starts again in 60 seconds.').waitFor();
    await page.getByRole('button', { name: 'Next donor' }).click();
    await page.locator('#give').waitFor();
  });

  it('clears an abandoned form after two minutes, and returns to its first language', async () => {
    const locales = { default: 'en', supported: ['en', 'de'] };
    await admin.patch(`/events/${event.id}/settings`, { locales }).expect(200);
    const page = await kiosk('&lang=de&from=exit');
    await page.getByRole('link', { name: 'English' }).click();
    await page.waitForURL(/lang=en/);
    await page.getByText('About you').click();
    await page.locator('#name').fill('Mary Jones');
    await page.clock.runFor(101_000);
    await page.getByRole('button', { name: 'More time' }).click();
    expect(await bar(page).isVisible()).toBe(false);
    expect(await page.locator('#name').inputValue()).toBe('Mary Jones');
    await page.clock.runFor(101_000);
    await bar(page).waitFor();
    await takePicture(page, 'donate-kiosk-form');
    await page.clock.runFor(21_000);
    await page.waitForURL(/kiosk=1&lang=de&from=exit/);
    expect(await page.locator('#name').inputValue()).toBe('');
    expect(await page.locator('#name').getAttribute('autocomplete')).toBe('off');
  });

  it('an untouched form stays, and a tab without ?kiosk=1 is no kiosk', async () => {
    const page = await kiosk();
    await page.clock.runFor(600_000);
    expect(await bar(page).isVisible()).toBe(false);
    await page.goto(`${app.url}/donate/${event.slug}?kiosk=0`);
    await page.goto(await paid());
    await page.getByText('Thank you, Mary Jones').waitFor();
    expect(await bar(page).isVisible()).toBe(false);
  });
});
