import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { allSent, goTo, signIn, withTills } from '../support/pos.js';
import { describeWithChromium } from '../support/tools.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';

describeWithChromium('a half-typed donation at the till', (executablePath) => {
  const app = withService();
  const browser = withOpened(() => launchBrowser(executablePath));
  const tills = withTills(app, withAdmin(app), browser);

  const type = async (page: Page) => {
    await page.keyboard.type('15');
    await page.click('.kind:has(input[value=check])');
    await page.click('.donor summary');
    await page.fill('.donor input[type=text]', 'Ada Lovelace');
    await page.fill('.donor input[type=email]', 'ada@example.org');
  };
  const kept = (page: Page) =>
    page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })');
  const amount = (page: Page) => page.getAttribute('.display', 'data-amount');

  it('survives a reload with its amount, kind and donor, and ends with the record', async () => {
    const page = await tills.begin();
    await type(page);
    await page.reload();
    await page.waitForSelector('html[data-ready] .pos');
    expect(await amount(page)).toBe('1500');
    expect(await page.isChecked('.kinds input[value=check]')).toBe(true);
    expect(await page.textContent('.donor summary')).toBe('Ada Lovelace');
    await page.click('.button--record');
    await page.waitForSelector('.last');
    await allSent(page);
    expect(await tills.booked()).toMatchObject([{ amount: 1500, type: 'check', donor_name: 'Ada Lovelace' }]);
    expect(await kept(page)).not.toContain('Ada');
    await page.reload();
    await page.waitForSelector('html[data-ready] .last');
    expect(await page.textContent('.donor summary')).not.toContain('Ada');
  });

  it('stays for the member who signs in again, and never shows to the next member', async () => {
    const page = await tills.begin();
    const ben = await tills.colleague('Ben Okri');
    await type(page);
    await tills.endSession();
    await page.click('.pill');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.click('.banner button:text-is("Sign in")');
    await signIn(page, tills.maria, tills.event.slug);
    await goTo(page, 'Take');
    expect(await page.textContent('.donor summary')).toBe('Ada Lovelace');

    await tills.endSession();
    await page.click('.pill');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.click('.banner button:text-is("Sign in")');
    await signIn(page, ben, tills.event.slug);
    await goTo(page, 'Take');
    expect(await amount(page)).toBe('0');
    expect(await page.content()).not.toContain('Ada Lovelace');
    expect(await page.inputValue('.donor input[type=email]')).toBe('');
    expect(await kept(page)).not.toContain('Ada');
  });

  it('ends when another member signs in at the same terminal in another tab, and with a sign-out', async () => {
    const page = await tills.begin();
    const ben = await tills.colleague('Ben Okri');
    await type(page);
    const second = await page.context().newPage();
    await second.goto(`${app.url}/pos`);
    await second.waitForSelector('html[data-ready] .pos');
    expect(await second.textContent('.donor summary')).not.toContain('Ada');
    await goTo(second, 'More');
    await second.click('button:text-is("Sign out")');
    await signIn(second, ben, tills.event.slug);
    await page.waitForSelector('.head__who:has-text("Ben Okri")');
    expect(await page.content()).not.toContain('Ada Lovelace');
    expect(await kept(page)).not.toContain('Ada');
  });
});
